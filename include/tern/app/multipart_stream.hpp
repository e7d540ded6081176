// MultipartStream: a form with files, part by part, as it arrives.
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

// What a coroutine handler takes that wants to decide for each part by itself:
//
//   while (const tern::MultipartPart* part = co_await form.next_part()) {
//     while (const auto piece = co_await form.next()) total += piece->size();
//   }
//
// Like BodyStream: the handler is called as soon as the head is in, while nobody asks for more the connection is not
// read, and Limits::body does not apply unless the route sets it. A form is complete, and not cut short, when
// next_part() gives null.
//
// All functions throw HttpError when the form is not as we accept it (400, 413, 415, 431) or arrives too slowly (408),
// and Cancelled when the client has gone. A handle: copies are the same form.
class MultipartStream {
public:
  // `boundary` is one that multipart_boundary() gave.
  MultipartStream(Exchange& exchange, std::string_view boundary);

  // Other limits than the default. Before the first part is asked for.
  void limits(const MultipartLimits& limits);

  // The next part, after what is left of the one before; null at the end. Valid until the next call.
  Task<const MultipartPart*> next_part();

  // The next piece of the part's content, valid until the next call of anything here; nothing at its end.
  Task<std::optional<std::string_view>> next();

  // What is left of the part's content; 413 when that is more than `most` bytes.
  Task<std::string> text(std::size_t most = 64 * 1024);

  // The same in a temporary file. Without a file (see UploadedFile) where there is neither name nor content: this is
  // how browsers send a file input that was left empty. No room on the disk is a 507 and a line in the error log.
  Task<UploadedFile> file(std::uint64_t most = static_cast<std::uint64_t>(-1));

private:
  struct State;

  Task<> receive();
  Task<> store(UploadedFile& file, std::string_view rest);

  State* state_;  // in the exchange's arena
};

template <>
struct Extract<MultipartStream> {
  static constexpr bool streams_body = true;
  static std::expected<MultipartStream, Rejection> from(Request& request);
};

}  // namespace tern
