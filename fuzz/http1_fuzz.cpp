// Fuzzes the HTTP/1.1 core: any bytes in any pieces, answered in any of the ways a server has. Nothing may crash, and
// two readings that differ only in the pieces must agree on every request.
// script/fuzz runs it.
#include "http1/connection.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace {

namespace http1 = tern::http1;
using http1::Event;
using tern::Field;
using tern::Fields;
using tern::RequestHead;
using tern::Status;

// The fuzzer's choices come from the first bytes of its input, over and over.
class Choices {
public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}
  std::size_t below(std::size_t bound) {
    const auto byte = static_cast<unsigned char>(bytes_[at_++ % bytes_.size()]);
    return byte % bound;
  }

private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

class Server {
public:
  Server(const http1::Limits& limits, std::string_view choices) : connection_(limits), choices_(choices) {}

  void feed(std::string_view piece) {
    pending_ += piece;
    // A copy with nothing behind the padding, so that the sanitizer sees a byte too far.
    const auto exact = std::make_unique<char[]>(pending_.size() + http1::padding);
    pending_.copy(exact.get(), pending_.size());
    connection_.receive({exact.get(), pending_.size()});
    while (step()) {
    }
    pending_.erase(0, connection_.consumed());
  }

  const std::string& log() const { return log_; }

private:
  bool step() {
    switch (connection_.next(head_)) {
      case Event::NeedMore: return false;
      case Event::Request:
        log_ += head_.method == tern::Method::Extension ? head_.extension_method : method_name(head_.method);
        log_ += head_.target;
        for (const Field& field : head_.fields) (log_ += field.name) += field.value;
        if (connection_.expects_continue() && choices_.below(2) == 0) connection_.inform(out_, Status::Continue);
        early_ = choices_.below(4) == 0 && !connection_.content_complete();
        if (early_) connection_.respond(out_, response());
        return true;
      case Event::Chunk:
        log_ += connection_.chunk();
        if (early_) connection_.write(out_, connection_.chunk());
        return true;
      case Event::Trailer: log_.append(connection_.trailer().name).append(connection_.trailer().value); return true;
      case Event::End:
        log_ += '.';
        early_ ? connection_.finish(out_) : answer();
        early_ = false;
        return true;
      case Event::Reject:
        log_ += connection_.rejected().detail;
        if (connection_.answer_owed()) answer();
        if (!connection_.must_close()) std::abort();
        return true;
      case Event::Closed: break;
    }
    return false;
  }

  http1::ResponseHead response() {
    http1::ResponseHead head;
    if (choices_.below(2) == 0) head.content_length = std::nullopt;
    return head;
  }

  void answer() {
    out_.clear();
    if (choices_.below(2) == 0) return connection_.answer(out_, {}, "hello");
    http1::ResponseHead head = response();
    if (head.content_length) head.content_length = 5;
    connection_.respond(out_, head);
    connection_.write(out_, "hello");
    connection_.finish(out_);
  }

  http1::Connection connection_;
  Choices choices_;
  RequestHead head_;
  std::string pending_;
  std::string out_;
  std::string log_;
  bool early_ = false;
};

// Reads without looking at the events, giving up or discarding wherever the choices say so: only crashes count.
void harass(const http1::Limits& limits, std::string_view choices, std::string_view input) {
  Choices choose(choices);
  http1::Connection connection(limits);
  RequestHead head;
  std::string out;
  std::string padded(input);
  padded.reserve(padded.size() + http1::padding);
  connection.receive(padded);
  for (;;) {
    const Event event = connection.next(head);
    if (event == Event::NeedMore || event == Event::Closed) break;
    if (choose.below(16) == 0) connection.abandon();
    if (choose.below(3) == 0) connection.discard_content(choose.below(256));
    if (event == Event::Request && choose.below(2) == 0) connection.take_content();
    if (connection.answer_owed() && choose.below(2) == 0) connection.answer(out, {}, "hello");
    if (connection.answer_owed() && connection.content_complete()) connection.answer(out, {}, "hello");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t choices_size = 8;
  if (size <= choices_size) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view choices = bytes.substr(0, choices_size);
  const std::string_view input = bytes.substr(choices_size);
  http1::Limits limits;
  limits.request_line = 100;
  limits.fields = 200;
  limits.field_count = 8;
  limits.trailers = 40;
  limits.chunk_extensions = 20;

  Server whole(limits, "\1");  // never early, always the same way
  whole.feed(input);
  Server pieces(limits, "\1");
  Choices cuts(choices);
  for (std::size_t at = 0; at < input.size();) {
    const std::size_t length = 1 + cuts.below(16);
    pieces.feed(input.substr(at, length));
    at += length;
  }
  if (whole.log() != pieces.log()) std::abort();
  Server free(limits, choices);
  free.feed(input);
  harass(limits, choices, input);
  return 0;
}
