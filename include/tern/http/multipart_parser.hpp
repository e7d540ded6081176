// Forms with files: multipart/form-data (RFC 7578, on RFC 2046, section 5.1), without I/O: bytes in, events out. No
// socket, clock or thread; the memory it has of its own holds one part's names and one unfinished line.
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
//   receive(bytes)                      what has arrived
//   next() -> Part Data* PartEnd        for each part: part() says what it is, data() is a piece of its content
//   next() -> NeedMore                  everything received is dealt with: receive() more, or
//   finish(), next() -> End             the content has ended, and so has the form
//
// Strict, bounded and linear; the outcome never depends on how the bytes were split. Whatever is wrong is a Reject, and
// a form is complete at End and not before: until then a part that has ended may still turn out to be of a form that is
// refused.
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

// What a client may send before it is refused. In bytes, unless it says otherwise. How large a file may be, and all of
// a form, is for the caller to say, who sees every piece.
struct MultipartLimits {
  std::size_t parts = 1000;               // 413: how many
  std::size_t head = 8 * 1024;            // 431: the field lines of one part
  std::size_t fields = 16;                // 431: how many of them
  std::size_t name = 256;                 // 431: a part's name
  std::size_t file_name = 1024;           // 431: a file's name as it was sent
  std::size_t field_bytes = 1024 * 1024;  // 413: the content of a part that is no file
  std::size_t preamble = 4 * 1024;        // 400: before the first boundary
  std::size_t epilogue = 4 * 1024;        // 400: behind the last
};

// What the head of a part says. Names are UTF-8 without control bytes (NUL, CR and LF among them) but HTAB.
struct MultipartPart {
  std::string name;      // possibly empty, and not unique: several files of one field have the same
  bool is_file = false;  // a file name was sent, usable or not (browsers send an empty one where no file was chosen)
  // Never a path: only what is behind the last '/' and '\', and nothing where that is empty, "." or "..".
  std::optional<std::string> file_name;
  std::string content_type;  // "text/plain", in the sender's capitals, without parameters; empty when it is not said
  std::string charset;       // its parameter; empty when it is not said
};

enum class MultipartEvent : std::uint8_t {
  NeedMore,  // nothing further can be said: receive() more, or finish()
  Part,      // a part begins: part()
  Data,      // a piece of its content, never empty: data()
  PartEnd,   // its content is complete
  End,       // the form is complete; whatever next() is asked afterwards
  Reject,    // what arrived is not a form as we accept it: rejected() says why; whatever next() is asked afterwards
};

// `detail` is literal text, fit for the problem document of the answer.
struct MultipartReject {
  Status status = Status::BadRequest;
  std::string_view detail;
};

// The boundary that a Content-Type announces, a view into it. 415 for a media type other than multipart/form-data; 400
// for parameters that are malformed, and where there is not exactly one boundary of 1 to 70 of the characters that RFC
// 2046, section 5.1.1, gives it.
std::expected<std::string_view, MultipartReject> multipart_boundary(std::string_view content_type) noexcept;

namespace multipart {

// Which fields a part's head has had so far.
struct SeenFields {
  bool disposition = false;
  bool type = false;
  bool encoding = false;
};

}  // namespace multipart

class MultipartParser {
public:
  // `boundary` is one that multipart_boundary() gave. Both are copied.
  explicit MultipartParser(std::string_view boundary, const MultipartLimits& limits = {}) noexcept;

  // `bytes` is what has arrived and was not consumed yet. It stays where it is as long as a view into it is used.
  void receive(std::string_view bytes) noexcept;

  // Nothing comes behind what was received: once that is read, next() gives End, or Reject where the form is cut short.
  void finish() noexcept { finished_ = true; }

  // Throws nothing but std::bad_alloc (from the strings of a part's head).
  MultipartEvent next();

  // From Part until the next Part.
  const MultipartPart& part() const noexcept { return part_; }

  // After Data: the piece, until the next call. A view into the received bytes, or into this parser.
  std::string_view data() const noexcept { return piece_; }

  // How many of receive()'s bytes need not be presented again. After NeedMore: all of them, so that whoever calls
  // next() until then keeps nothing.
  std::size_t consumed() const noexcept { return at_; }

  // After Reject.
  MultipartReject rejected() const noexcept { return rejected_; }

private:
  enum class State : std::uint8_t {
    Content,       // in the preamble, or (in_part_) in the content of a part
    Boundary,      // right behind a boundary
    Padding,       // in the blanks behind it
    LineEnd,       // between the CR and the LF of its line
    Dash,          // behind the first '-' of the last boundary's two
    ClosePadding,  // behind the last boundary
    CloseLineEnd,  // between the CR and the LF of its line
    Head,          // in the head of a part
    Epilogue,
    Rejected,
  };

  MultipartEvent step();
  MultipartEvent read_content();
  MultipartEvent go_on_matching();
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
  std::string_view bytes_;  // what receive() was given
  std::size_t at_ = 0;      // what of it is consumed
  std::string_view piece_;

  std::size_t room_;                // bytes that what we ignore may still have: preamble, padding or epilogue
  std::size_t head_room_ = 0;       // bytes that this head may still have
  std::size_t fields_ = 0;          // field lines in this head
  std::size_t parts_ = 0;           // heads begun
  std::uint64_t content_room_ = 0;  // bytes that this part may still have
  std::string line_;                // of a head, as far as it was read
  MultipartPart part_;
  MultipartReject rejected_;

  std::array<char, 4 + 70> delimiter_;  // CRLF "--" boundary
  std::uint8_t delimiter_size_;
  std::uint8_t matched_ = 2;  // how much of the delimiter stands at the end of what was consumed
  std::uint8_t implied_ = 2;  // how much of that was not content: the CRLF before the first line of a content
  State state_ = State::Content;
  multipart::SeenFields seen_;
  bool in_part_ = false;
  bool line_ends_ = false;  // the CR of line_ was read, its LF was not
  bool finished_ = false;
};

}  // namespace tern
