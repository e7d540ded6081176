// Fuzzes a WebSocket: frames that a client might send, good and bad, compressed or not, in any pieces, and answered as
// a session answers them. Nothing may crash, what is read must not depend on the pieces, and it must be what a reader
// of whole frames makes of it, as long as that finds nothing wrong; what is written must be frames of a server, and
// come to what was to be written at a client.
#include "websocket/codec.hpp"
#include "websocket/connection.hpp"

#include <tern/base/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace websocket = tern::websocket;
using websocket::Event;
using websocket::Opcode;

constexpr std::size_t most = 2000;  // bytes of a message
constexpr std::size_t choices_size = 8;

void require(bool holds) {
  if (!holds) std::abort();
}

unsigned char at(std::string_view bytes, std::size_t position) {
  return static_cast<unsigned char>(bytes[position]);
}

// The fuzzer's choices come from the first bytes of its input, over and over.
class Choices {
public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}
  std::size_t below(std::size_t bound) { return at(bytes_, at_++ % bytes_.size()) % bound; }

private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

std::optional<websocket::DeflateParameters> terms_of(Choices& choices) {
  const std::size_t choice = choices.below(8);
  if (choice < 3) return std::nullopt;
  const int bits = 9 + static_cast<int>(choices.below(7));
  return websocket::DeflateParameters{.server_context_takeover = choice % 2 == 0,
                                      .client_context_takeover = choice < 6,
                                      .server_window_bits = bits,
                                      .client_window_bits = 24 - bits};
}

std::string line(bool is_text, std::string_view content) {
  return (is_text ? "text " : "binary ") + std::string(content) + '\n';
}

// --- A client that writes: frames whose heads and payloads are the input's, but masked, and whole ---

class Writer {
public:
  explicit Writer(const std::optional<websocket::DeflateParameters>& terms) : terms_(terms) {
    if (terms_) deflater_ = std::make_unique<websocket::Deflater>(terms_->client_window_bits);
  }

  // `bytes` are records: first byte of the frame, flags and key, length of what follows.
  std::string frames(std::string_view bytes) {
    while (bytes.size() >= 3) {
      const unsigned first = at(bytes, 0);
      const unsigned flags = at(bytes, 1);
      const std::size_t repeats = (flags & 0x30U) == 0x30 ? 40 : 1;
      const std::size_t length = std::min<std::size_t>(at(bytes, 2), bytes.size() - 3);
      std::string payload;
      for (std::size_t i = 0; i < repeats; ++i) payload += bytes.substr(3, length);
      bytes.remove_prefix(3 + length);
      add(first, flags, payload);
    }
    return std::move(out_);
  }
  // The messages, pings' answers left out; what there is before the first thing that is wrong.
  const std::string& expected() const { return expected_; }
  bool all_is_well() const { return !wrong_; }

private:
  void add(unsigned first, unsigned flags, std::string payload) {
    const bool deflates = deflater_ && (flags & 1U) != 0 && (first & 0x8FU) <= 0x82 && (first & 0x83U) > 0x80;
    const std::string plain = payload;
    if (deflates && !payload.empty()) {
      if (!terms_->client_context_takeover) deflater_->reset();
      payload.clear();
      deflater_->deflate(plain, payload);
      first |= 0x40U;
      // What the peer does not read whole is not in its window either: what refers to it is not foreseen.
    }
    note(first, plain, deflates && !plain.empty());
    out_.push_back(static_cast<char>(first));
    if (payload.size() < 126) {
      out_.push_back(static_cast<char>(0x80U | payload.size()));
    } else {
      const std::size_t size = payload.size() < 65536 ? 2 : 8;
      out_.push_back(static_cast<char>(size == 2 ? 0xFE : 0xFF));
      for (std::size_t i = size; i-- != 0;) out_.push_back(static_cast<char>(std::uint64_t{payload.size()} >> (8 * i)));
    }
    const char key[4] = {static_cast<char>(flags), '\x5A', static_cast<char>(~flags), '\x01'};
    out_.append(key, 4);
    for (std::size_t i = 0; i < payload.size(); ++i) out_.push_back(static_cast<char>(payload[i] ^ key[i % 4]));
  }

  // RFC 6455, section 5, the plain way.
  void note(unsigned first, std::string_view payload, bool deflated) {
    if (wrong_ || closed_) return;
    const bool fin = (first & 0x80U) != 0;
    const unsigned opcode = first & 0x0FU;
    wrong_ = (first & 0x70U) != (deflated ? 0x40U : 0U) || (opcode > 2 && opcode < 8) || opcode > 10;
    if (wrong_) return;
    if (opcode >= 8) {
      wrong_ = !fin || payload.size() > 125;
      if (opcode == 8 && !wrong_) {
        wrong_ = payload.size() == 1 || (payload.size() > 1 && !good_close(payload));
        closed_ = true;
      }
      return;
    }
    wrong_ = (opcode == 0) != in_message_;
    if (wrong_) return;
    if (opcode != 0) is_text_ = opcode == 1, message_.clear();
    message_ += payload;
    in_message_ = !fin;
    wrong_ = message_.size() > most || (fin && is_text_ && !tern::base::is_utf8(message_));
    if (fin && !wrong_) expected_ += line(is_text_, message_);
  }

  static bool good_close(std::string_view payload) {
    const auto code = static_cast<std::uint16_t>(at(payload, 0) << 8U | at(payload, 1));
    return websocket::may_be_sent(code) && tern::base::is_utf8(payload.substr(2));
  }

  std::optional<websocket::DeflateParameters> terms_;
  std::unique_ptr<websocket::Deflater> deflater_;
  std::string out_;
  std::string expected_;
  std::string message_;
  bool in_message_ = false;
  bool is_text_ = false;
  bool wrong_ = false;
  bool closed_ = false;
};

// --- The server: echoes, or sends what was made for many, or closes ---

class Server {
public:
  Server(const std::optional<websocket::DeflateParameters>& terms, std::string_view choices)
      : connection_(limits_, terms ? std::make_unique<websocket::Codec>(*terms, shared_) : nullptr),
        choices_(choices),
        taking_(choices),
        closes_(choices_.below(4) == 0) {}

  void feed(std::string_view piece) {
    if (pending_.empty() && !connection_.closed() && taking_.below(2) == 0) piece = take_front(piece);
    pending_ += piece;
    // An exact copy, so that the sanitizer sees a byte too far; it is gone before the next.
    const auto exact = std::make_unique<char[]>(pending_.size());
    pending_.copy(exact.get(), pending_.size());
    connection_.receive({exact.get(), pending_.size()});
    while (step()) {
    }
    require(connection_.consumed() <= pending_.size());
    pending_.erase(0, connection_.consumed());
    // Unconsumed input is an incomplete head, or a control frame.
    require(connection_.closed() || pending_.size() < 14 + websocket::max_control_payload);
  }

  bool closed() const { return connection_.closed(); }
  bool closes() const { return closes_; }
  const std::string& log() const { return log_; }            // messages that came, and the end
  const std::string& messages() const { return messages_; }  // messages that came
  const std::string& said() const { return said_; }          // messages that were sent
  const std::string& out() const { return out_; }

private:
  // Passes the remaining payload to read_into(), a few bytes at a time; returns the rest.
  std::string_view take_front(std::string_view piece) {
    connection_.receive({});
    while (!piece.empty() && connection_.remaining_payload() != 0) {
      connection_.reserve_payload(1, 0, [](std::size_t) { return std::string(); });
      deal_with(connection_.read_into(out_, 1 + taking_.below(64), [&piece](std::span<char> to) {
        const std::size_t count = piece.copy(to.data(), to.size());
        piece.remove_prefix(count);
        return count;
      }));
    }
    while (step()) {
    }
    return piece;
  }

  bool step() { return deal_with(connection_.next(out_)); }

  bool deal_with(Event event) {
    switch (event) {
      case Event::NeedMore: return false;
      case Event::Message: take(); return true;
      case Event::Deferred: require(false); return false;  // inflating is not bounded here
      case Event::Closed: break;
    }
    require(connection_.closed() && !connection_.may_write());
    const auto code = connection_.close_code();
    require(websocket::may_be_sent(code) || code == websocket::NoStatus);
    require(tern::base::is_utf8(connection_.close_reason()));
    log_ += "closed " + std::to_string(code) + connection_.close_reason();
    return false;
  }

  void take() {
    const bool is_text = connection_.is_text();
    std::string content(connection_.message());
    if (choices_.below(2) == 0) require(connection_.take_message() == content);
    require(content.size() <= most);
    require(!is_text || tern::base::is_utf8(content));
    messages_ += line(is_text, content);
    log_ = messages_;
    answer(is_text, content);
  }

  void answer(bool is_text, std::string_view content) {
    const Opcode opcode = is_text ? Opcode::Text : Opcode::Binary;
    const std::size_t choice = choices_.below(8);
    if (closes_ && choice == 0) return connection_.close(out_, 4000, content.substr(0, is_text ? 200 : 0));
    if (choice == 1) connection_.ping(out_, content.substr(0, 125));
    if (connection_.may_write()) said_ += line(is_text, content);
    websocket::Codec* const codec = connection_.codec();
    if (choice > 4 || codec == nullptr || content.empty() || !connection_.may_write()) {
      return connection_.write(out_, opcode, content);
    }
    // As WebSocketHub does.
    websocket::Deflater& deflater = shared_.deflater(codec->parameters().server_window_bits);
    std::string compressed;
    deflater.reset();
    deflater.deflate(content, compressed);
    websocket::append_frame(out_, opcode, compressed, true);
    codec->reset_deflater();
  }

  websocket::Limits limits_{.message = most};
  websocket::SharedCodecs shared_;
  websocket::Connection connection_;
  Choices choices_;  // which depend on the messages alone
  Choices taking_;
  std::string pending_;
  std::string out_;
  std::string log_;
  std::string messages_;
  std::string said_;
  bool closes_;
};

// --- A client that reads ---

void check_written(const Server& server, const std::optional<websocket::DeflateParameters>& terms) {
  std::unique_ptr<websocket::Inflater> inflater;
  if (terms) inflater = std::make_unique<websocket::Inflater>(terms->server_window_bits);
  std::string heard;
  std::string message;
  bool closed = false;
  for (std::string_view rest = server.out(); !rest.empty();) {
    require(!closed && rest.size() >= 2);
    const unsigned first = at(rest, 0);
    const unsigned opcode = first & 0x0FU;
    std::uint64_t length = at(rest, 1);
    require((first & 0xB0U) == 0x80 && length < 128);  // FIN, and no mask
    const std::size_t extended = length < 126 ? 0 : length == 126 ? 2 : 8;
    require(rest.size() >= 2 + extended);
    if (extended != 0) length = 0;
    for (std::size_t i = 0; i < extended; ++i) length = length << 8U | at(rest, 2 + i);
    require(extended == 0 || length >= (extended == 2 ? 126U : 65536U));
    require(rest.size() - 2 - extended >= length);
    const std::string_view payload = rest.substr(2 + extended, static_cast<std::size_t>(length));
    rest.remove_prefix(2 + extended + payload.size());
    require(opcode == 1 || opcode == 2 || opcode == 8 || opcode == 9 || opcode == 10);
    if (opcode >= 8) {
      require((first & 0x40U) == 0 && length <= 125);
      closed = opcode == 8;
      require(!closed || length == 0 || (length >= 2 && tern::base::is_utf8(payload.substr(2))));
      continue;
    }
    message = payload;
    if ((first & 0x40U) != 0) {
      require(inflater != nullptr);
      if (!terms->server_context_takeover) inflater->reset();
      require(inflater->inflate(payload, message, most) == websocket::InflateResult::Done);
    }
    heard += line(opcode == 1, message);
  }
  require(heard == server.said());
  require(closed || !server.closed());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size <= choices_size) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view choices = bytes.substr(0, choices_size);
  Choices choose(choices);
  const auto terms = terms_of(choose);
  const bool raw = choose.below(4) == 0;
  Writer writer(terms);
  const std::string input = raw ? std::string(bytes.substr(choices_size)) : writer.frames(bytes.substr(choices_size));

  Server whole(terms, choices);
  whole.feed(input);
  Server pieces(terms, choices);
  for (std::size_t from = 0; from < input.size() && !pieces.closed();) {
    const std::size_t length = 1 + choose.below(choose.below(3) == 0 ? 200 : 6);
    pieces.feed(std::string_view(input).substr(from, length));
    from += length;
  }
  require(whole.log() == pieces.log());
  require(whole.out() == pieces.out());
  check_written(whole, terms);
  if (raw) return 0;
  if (whole.closes()) return require(writer.expected().starts_with(whole.messages()) || !writer.all_is_well()), 0;
  require(whole.messages().starts_with(writer.expected()));
  if (writer.all_is_well()) require(whole.messages() == writer.expected());
  return 0;
}
