// Forms with files: multipart/form-data (RFC 7578; RFC 2046, section 5.1) without I/O: bytes in, events out. No socket,
// clock or thread; its memory holds one part's names and one incomplete line.
//
//   multipart-body    = [preamble CRLF] dash-boundary transport-padding CRLF body-part
//                       *(delimiter transport-padding CRLF body-part)
//                       delimiter "--" transport-padding [CRLF epilogue]
//   dash-boundary     = "--" boundary
//   delimiter         = CRLF dash-boundary
//   transport-padding = *(SP / HTAB)
//   body-part         = *(field-line CRLF) CRLF *OCTET       ; a Content-Disposition among the fields
//
// Life of a form:
//   receive(bytes)                      received bytes that were not consumed yet
//   next() -> Part Data* PartEnd        for each part: part() describes it, data() is a piece of its content
//   next() -> NeedMore                  all received bytes are processed: receive() more, or
//   finish(), next() -> End             the content has ended, and so has the form
//
// Strict, bounded and linear; the result never depends on how the bytes were split. Every fault is a Reject. A form is
// valid only at End: until then, a part that has ended may still belong to a form that is rejected.
#pragma once

#include <tern/http/status.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

// Limits on a form. In bytes unless stated otherwise. The caller limits the size of files and of the whole form.
struct MultipartLimits {
  std::size_t parts = 1000;               // 413: number
  std::size_t head = 8 * 1024;            // 431: the field lines of one part
  std::size_t fields = 16;                // 431: their number
  std::size_t name = 256;                 // 431: a part's name
  std::size_t file_name = 1024;           // 431: a file's name as sent
  std::size_t field_bytes = 1024 * 1024;  // 413: the content of a part that is not a file
  std::size_t preamble = 4 * 1024;        // 400: before the first boundary
  std::size_t epilogue = 4 * 1024;        // 400: after the last one
};

// The head of a part. Names are UTF-8 without control bytes (such as NUL, CR and LF) except HTAB.
struct MultipartPart {
  std::string name;      // possibly empty, and not unique: all files of a field have the same name
  bool is_file = false;  // a file name was sent, usable or not (browsers send an empty one if no file was chosen)
  // Never a path: the text after the last '/' and '\'; unset if that is empty, "." or "..".
  std::optional<std::string> file_name;
  std::string content_type;  // as sent, without parameters: "text/plain"; empty if missing
  std::string charset;       // its parameter; empty if missing
};

enum class MultipartEvent : std::uint8_t {
  NeedMore,  // receive() more bytes, or finish()
  Part,      // a part begins: part()
  Data,      // a piece of its content, never empty: data()
  PartEnd,   // its content is complete
  End,       // the form is complete; final
  Reject,    // the input is not a valid form: see rejected(); final
};

// `detail` is literal text for the problem document of the response.
struct MultipartReject {
  Status status = Status::BadRequest;
  std::string_view detail;
};

// The boundary of a Content-Type, as a view into it. Fails with 415 for a media type other than multipart/form-data;
// with 400 for malformed parameters, and unless there is exactly one boundary of 1 to 70 of the characters allowed by
// RFC 2046, section 5.1.1.
std::expected<std::string_view, MultipartReject> multipart_boundary(std::string_view content_type) noexcept;

namespace multipart {

// Fields that have occurred in a part's head.
struct SeenFields {
  bool disposition = false;
  bool type = false;
  bool encoding = false;
};

}  // namespace multipart

class MultipartParser {
public:
  // `boundary` is a result of multipart_boundary(). Copies both parameters.
  explicit MultipartParser(std::string_view boundary, const MultipartLimits& limits = {}) noexcept;

  // `bytes` are the received bytes that were not consumed. They must stay valid while a view into them is used.
  void receive(std::string_view bytes) noexcept;

  // No more bytes follow: after the received ones, next() returns End, or Reject if the form is truncated.
  void finish() noexcept { finished_ = true; }

  // Throws only std::bad_alloc (from the strings of a part's head).
  MultipartEvent next();

  // From Part until the next Part.
  const MultipartPart& part() const noexcept { return part_; }

  // After Data: a piece, valid until the next call. A view into the received bytes, or into this parser.
  std::string_view data() const noexcept { return piece_; }

  // The number of receive()'s bytes that need not be presented again. After NeedMore, all of them.
  std::size_t consumed() const noexcept { return at_; }

  // After Reject.
  MultipartReject rejected() const noexcept { return rejected_; }

private:
  enum class State : std::uint8_t {
    Content,       // in the preamble, or (in_part_) in the content of a part
    Boundary,      // after a boundary
    Padding,       // in blanks after the boundary
    LineEnd,       // between the CR and the LF of its line
    Dash,          // after the first '-' of the closing boundary
    ClosePadding,  // after the closing boundary
    CloseLineEnd,  // between the CR and the LF of its line
    Head,          // in the head of a part
    Epilogue,
    Rejected,
  };

  MultipartEvent step();
  MultipartEvent read_content();
  MultipartEvent continue_delimiter();
  MultipartEvent content(std::string_view piece);
  MultipartEvent read_boundary_line(char c);
  MultipartEvent read_padding(char c, State line_end);
  MultipartEvent open_part();
  MultipartEvent close_part(State state);
  MultipartEvent read_head();
  MultipartEvent end_line();
  MultipartEvent begin_content();
  MultipartEvent read_epilogue();
  MultipartEvent at_end();
  MultipartEvent reject(const MultipartReject& why);

  std::string_view delimiter() const noexcept { return {delimiter_.data(), delimiter_size_}; }
  std::string_view rest() const noexcept { return bytes_.substr(at_); }
  void boundary_found() noexcept;

  MultipartLimits limits_;
  std::string_view bytes_;  // from receive()
  std::size_t at_ = 0;      // bytes consumed
  std::string_view piece_;

  std::size_t room_;                // remaining bytes of preamble, padding or epilogue
  std::size_t head_room_ = 0;       // remaining bytes of this head
  std::size_t fields_ = 0;          // field lines in this head
  std::size_t parts_ = 0;           // heads begun
  std::uint64_t content_room_ = 0;  // remaining bytes of this part's content
  std::string line_;                // incomplete line of a head
  MultipartPart part_;
  MultipartReject rejected_;

  std::array<char, 4 + 70> delimiter_;  // CRLF "--" boundary
  std::uint8_t delimiter_size_;
  std::uint8_t matched_ = 2;  // size of the delimiter's prefix at the end of the consumed bytes
  std::uint8_t implied_ = 2;  // size of its part that is not content: the CRLF before the first line
  State state_ = State::Content;
  multipart::SeenFields seen_;
  bool in_part_ = false;
  bool line_ends_ = false;  // after the CR of line_, before its LF
  bool finished_ = false;
};

}  // namespace tern
