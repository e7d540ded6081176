#include <tern/app/multipart_stream.hpp>

#include <tern/app/bind.hpp>
#include <tern/base/expects.hpp>
#include <tern/coro/awaitable.hpp>
#include <tern/coro/cancelled.hpp>
#include <tern/coro/offload.hpp>

#include <cerrno>
#include <system_error>
#include <utility>

namespace tern {
namespace {

// Collected before a write, so that a client that sends byte by byte does not cost a job per byte.
constexpr std::size_t write_size = 64 * 1024;

constexpr std::string_view form_type = "multipart/form-data";

Problem problem_of(const MultipartReject& why) {
  Problem problem{why.status, std::string(why.detail), {}, {}};
  if (why.status == Status::UnsupportedMediaType) problem.fields.set("accept", form_type);
  return problem;
}

[[noreturn]] void throw_reject(const MultipartReject& why) {
  throw HttpError(problem_of(why));
}

// The log gets the details; the client gets only the status.
[[noreturn]] void throw_storage_failure(Exchange& exchange, const std::error_code& error) {
  const std::string what = "storing an uploaded file: " + error.message();
  switch (error.value()) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      app::report_failure(exchange, what);
      throw HttpError(Status::InsufficientStorage, "there is no room for the content");
    case EMFILE:
    case ENFILE: app::report_failure(exchange, what); throw HttpError(to_problem(StreamError::Overloaded));
    default: throw std::system_error(error, "storing an uploaded file");
  }
}

}  // namespace

struct MultipartStream::State {
  State(Exchange& of, std::string_view with_boundary)
      : exchange(of), boundary(with_boundary), body(of), parser(with_boundary) {}

  Exchange& exchange;
  std::string boundary;
  BodyStream body;
  MultipartParser parser;
  std::string buffer;  // of the current file
  bool begun = false;
  bool in_part = false;
  bool ended = false;
};

MultipartStream::MultipartStream(Exchange& exchange, std::string_view boundary)
    : state_(&exchange.arena().make<State>(exchange, boundary)) {}

void MultipartStream::limits(const MultipartLimits& limits) {
  base::expects(!state_->begun, "a form's limits are set before its first part is asked for");
  state_->parser = MultipartParser(state_->boundary, limits);
}

// Passes more bytes to the parser, or its end.
Task<> MultipartStream::receive() {
  State& state = *state_;
  const StopToken stop = co_await current_stop();
  try {
    const auto piece = co_await state.body.next();
    if (piece) {
      state.parser.receive(*piece);
    } else {
      state.parser.finish();
    }
  } catch (const Cancelled&) {
    if (stop.stop_requested() || state.exchange.stop().stop_requested()) throw;
    // Only half of the connection has ended: the client still reads the response.
    throw HttpError(to_problem(StreamError::Disconnected));
  }
}

Task<const MultipartPart*> MultipartStream::next_part() {
  State& state = *state_;
  state.begun = true;
  while (!state.ended) {
    switch (state.parser.next()) {
      case MultipartEvent::NeedMore: co_await receive(); break;
      case MultipartEvent::Part: state.in_part = true; co_return &state.parser.part();
      case MultipartEvent::Data: break;
      case MultipartEvent::PartEnd: state.in_part = false; break;
      case MultipartEvent::End: state.ended = true; break;
      case MultipartEvent::Reject: throw_reject(state.parser.rejected());
    }
  }
  co_return nullptr;
}

Task<std::optional<std::string_view>> MultipartStream::next() {
  State& state = *state_;
  while (state.in_part) {
    switch (state.parser.next()) {
      case MultipartEvent::NeedMore: co_await receive(); break;
      case MultipartEvent::Data: co_return state.parser.data();
      case MultipartEvent::Reject: throw_reject(state.parser.rejected());
      default: state.in_part = false;
    }
  }
  co_return std::nullopt;
}

Task<std::string> MultipartStream::text(std::size_t most) {
  std::string text;
  while (const auto piece = co_await next()) {
    if (piece->size() > most - text.size()) {
      throw HttpError(Status::ContentTooLarge, "a field of the form is too large");
    }
    text += *piece;
  }
  co_return text;
}

Task<UploadedFile> MultipartStream::file(std::uint64_t most) {
  State& state = *state_;
  const MultipartPart& part = state.parser.part();
  const bool named = part.file_name.has_value();
  UploadedFile file(part.file_name.value_or(std::string()), part.content_type);
  if (state.buffer.capacity() < write_size) {
    if (!state.exchange.charge(write_size)) throw HttpError(to_problem(StreamError::Overloaded));
    state.buffer.reserve(write_size);
  }
  state.buffer.clear();  // left by an abandoned file
  std::uint64_t size = 0;
  while (const auto piece = co_await next()) {
    if (piece->size() > most - size) throw HttpError(Status::ContentTooLarge, "a file of the form is too large");
    size += piece->size();
    if (state.buffer.size() + piece->size() <= write_size) {
      state.buffer += *piece;
    } else {
      co_await store(file, *piece);
    }
  }
  if (named || !state.buffer.empty()) co_await store(file, {});
  co_return file;
}

// Writes the buffer, and `rest`.
Task<> MultipartStream::store(UploadedFile& file, std::string_view rest) {
  State& state = *state_;
  const auto write = [&] { return file.append_now(state.buffer, rest); };
  const std::error_code failed = co_await offload(write);
  if (failed) throw_storage_failure(state.exchange, failed);
  state.buffer.clear();
}

std::expected<MultipartStream, Rejection> Extract<MultipartStream>::from(Request& request) {
  const auto type = request.field("content-type");
  if (!type) {
    Rejection rejection = Rejection::unsupported_media_type(form_type);
    rejection.missing = true;
    return std::unexpected(std::move(rejection));
  }
  const auto boundary = multipart_boundary(*type);
  if (!boundary) return std::unexpected(Rejection(problem_of(boundary.error())));
  return MultipartStream(request.exchange(), *boundary);
}

}  // namespace tern
