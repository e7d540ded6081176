// MultipartStream: a form with files, read part by part as it arrives.
#pragma once

#include <tern/app/extract.hpp>
#include <tern/app/multipart_file.hpp>
#include <tern/coro/task.hpp>
#include <tern/http/multipart_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

// The parameter of a coroutine handler that reads the parts of a form itself:
//
//   while (const tern::MultipartPart* part = co_await form.next_part()) {
//     while (const auto piece = co_await form.next()) total += piece->size();
//   }
//
// Like BodyStream: the handler is called when the head is complete, the connection is read only while the handler
// waits, and Limits::max_body_bytes does not apply unless the route sets it. The form is complete when next_part()
// returns null.
//
// All functions throw HttpError if the form is invalid (400, 413, 415, 431) or arrives too slowly (408), and Cancelled
// when the client has disconnected. A handle: copies refer to the same form.
class MultipartStream {
public:
  // `boundary` is a result of multipart_boundary().
  MultipartStream(Exchange& exchange, std::string_view boundary);

  // Sets the limits. Before the first part is read.
  void limits(const MultipartLimits& limits);

  // The next part, after skipping the rest of the current one; null at the end. Valid until the next call.
  Task<const MultipartPart*> next_part();

  // The next piece of the part's content, valid until the next call of any function; unset at its end.
  Task<std::optional<std::string_view>> next();

  // The rest of the part's content; 413 if it is more than `most` bytes.
  Task<std::string> text(std::size_t most = 64 * 1024);

  // The same in a temporary file. No file (see UploadedFile) if there is neither a name nor content: browsers send an
  // empty file input so. A full disk is a 507 and a line in the error log.
  Task<UploadedFile> file(std::uint64_t most = static_cast<std::uint64_t>(-1));

private:
  struct State;

  Task<> receive();
  Task<> store(UploadedFile& file, std::string_view rest);

  State* state_;  // in the exchange's arena
};

template <>
struct Extract<MultipartStream> {
  static constexpr app::ParameterContract contract{app::Reads::Multipart, false, {}, nullptr, nullptr, nullptr};
  static constexpr bool streams_body = true;
  static std::expected<MultipartStream, Rejection> from(Request& request);
};

}  // namespace tern
