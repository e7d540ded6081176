// The server side of one HTTP/1.1 connection (RFC 9110, RFC 9112), without I/O: bytes in, events out; answers are
// appended to a string of the caller's. No socket, no clock, no thread, no memory of its own.
//
// Life of a request:
//   receive(bytes)                      what has arrived and was not consumed yet
//   next(head) -> Request               the head, as views into the bytes; facts such as keep_alive() hold from here on
//   take_content(), or
//   next(head) -> Chunk* -> Trailer* -> End   the content, piece by piece (views again); NeedMore in between
//   respond(), write()*, finish()       the answer; may begin before End
//   must_close()?                       the connection ends here; otherwise next(head) goes on with the next request
//
// A request is read only after the answer to the one before is finished, so a good request is always answered before a
// bad one behind it.
#pragma once

#include "http1/chunk_line.hpp"
#include "http1/facts.hpp"
#include "http1/fault.hpp"
#include "http1/known_heads.hpp"
#include "http1/limits.hpp"
#include "http1/scan.hpp"

#include <tern/http/fields.hpp>
#include <tern/http/request_head.hpp>
#include <tern/http/status.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace tern::http1 {

enum class Event : std::uint8_t {
  NeedMore,  // nothing further can be said: receive() more, or (waiting_for() == Nothing) answer first
  Request,   // a head; every Request is owed one answer
  Chunk,     // a piece of its content: chunk()
  Trailer,   // a field behind chunked content: trailer()
  End,       // the content, possibly none, is complete
  Reject,    // what arrived is not HTTP/1.1 as we accept it: rejected() says why. Answer if no answer has begun, then
             // close
  Closed,    // nothing will be read from this connection any more
};

// Which timeout should run.
enum class Waiting : std::uint8_t {
  Idle,     // between requests, with no byte of the next one
  Head,     // within a request head
  Body,     // within the content
  Nothing,  // for the answer, or for the connection's end
};

// The last head of a plain answer (a 200 with a content type and a length), ready to be copied. Within a second most
// answers have the same; of what they have not, the beginning stays: the status line, Date, Server.
class PlainHead {
public:
  // For the answers of the next second. What is too long is not kept: heads are put together from their pieces then.
  void set(std::string_view date, std::string_view server) noexcept;

  // Valid until the next call. Empty where it would be too long.
  std::string_view of(std::string_view content_type, std::size_t length) noexcept {
    if (length != length_ || content_type != type_) finish(content_type, length);
    return {text_.data(), size_};
  }

private:
  void finish(std::string_view content_type, std::size_t length) noexcept;

  static constexpr std::size_t capacity = 256;
  std::array<char, capacity> text_{};
  std::size_t common_ = 0;  // bytes at the beginning that belong to every answer; 0: none are kept
  std::size_t size_ = 0;
  std::string_view type_;  // where it stands in text_
  std::size_t length_ = static_cast<std::size_t>(-1);
};

// The head of an answer. Everything is read during respond() and not kept.
struct ResponseHead {
  Status status = Status::Ok;
  const Fields* fields = nullptr;                   // the user's fields; may be null
  std::string_view content_type = {};               // no field when empty
  std::optional<std::uint64_t> content_length = 0;  // nothing: not known beforehand
  std::string_view date = {};     // IMF-fixdate; no field when empty or when `fields` has a Date of its own
  std::string_view server = {};   // likewise
  std::string_view upgrade = {};  // the protocol's name, with status 101 only
  bool close = false;             // end the connection after this answer (a drain, an error)
};

class Connection {
public:
  // `limits` outlives the connection.
  explicit Connection(const Limits& limits) noexcept : limits_(&limits) {}

  // --- Reading ---

  // `bytes` is everything received and not yet consumed: the rest that the last round left over first, byte for byte,
  // then what is new. It stays where it is as long as views into it are used. Behind it, `padding` bytes can be read,
  // whatever they are.
  void receive(std::string_view bytes) noexcept;

  // The next event. `head` is filled by Request only, and its content is unspecified after any other event that is
  // returned while a head is being read. With `known`, heads that are alike are read once. Throws nothing but
  // std::bad_alloc (from the list of fields).
  Event next(RequestHead& head, KnownHeads* known = nullptr);

  // After Chunk: the piece. A view into the received bytes.
  std::string_view chunk() const noexcept { return {bytes_ + at_ - piece_, piece_}; }

  // After Trailer: views into the received bytes.
  Field trailer() const noexcept;

  // How many of receive()'s bytes need not be presented again. A head stays unconsumed until it is complete (it must be
  // contiguous); no byte of it is scanned twice for that. Note that the views of a Request point into consumed bytes.
  std::size_t consumed() const noexcept { return at_; }

  // What is left over of the received bytes (after 101 Switching Protocols: the new protocol's first bytes).
  std::string_view unconsumed() const noexcept { return {bytes_ + at_, std::size_t{size_} - at_}; }

  // After Reject.
  http1::Reject rejected() const noexcept { return describe(fault_); }

  Waiting waiting_for() const noexcept;

  // --- Facts of the current request: from Request until its answer is finished ---

  // What the client allows: HTTP/1.1 without `Connection: close`, HTTP/1.0 with `Connection: keep-alive`.
  bool keep_alive() const noexcept { return facts_.keep_alive(); }
  bool has_body() const noexcept { return facts_.has_content(); }
  bool chunked() const noexcept { return facts_.has(Facts::Chunked); }
  std::optional<std::uint64_t> content_length() const noexcept;
  // The client waits for `100 Continue` before it sends the content, and no byte of it has arrived: inform() it once
  // the content is wanted.
  bool expects_continue() const noexcept;
  // Has `Upgrade`, and `Connection: upgrade`, on HTTP/1.1. Which protocols it lists is in the fields.
  bool upgrade_requested() const noexcept { return facts_.upgrade_requested(); }

  // The whole content, where it is none or was received with the head in one piece (by Content-Length): neither Chunk
  // nor End follow for this request. Otherwise nothing, and nothing changes. To be called right after Request.
  std::optional<std::string_view> take_content() noexcept;
  // Whether the content was read to its end.
  bool content_complete() const noexcept { return reading_ == Reading::Complete || reading_ == Reading::Ended; }

  // How much is to come of content by Content-Length, when all that was received of it was presented; otherwise 0.
  std::uint64_t content_to_come() const noexcept {
    return reading_ == Reading::Counted && at_ == size_ && !discarding_ ? left_ : 0;
  }
  // The caller has received so much of content_to_come() by itself, which is not presented.
  void took_content(std::uint64_t bytes) noexcept;

  // The rest of the content is not wanted. It is read and dropped without events, if that is at most `at_most` bytes;
  // otherwise, and when the client still waits for 100 Continue, must_close() becomes true and false is returned.
  // To be called before respond(), so that the answer can announce the close. (Once an answer is finished, content that
  // is neither read nor being discarded closes the connection.)
  bool discard_content(std::uint64_t at_most) noexcept;

  // Reads no further (a timeout, a drain): next() gives Closed, must_close() is true. If no answer to the current or
  // half read request has begun, one may be written (408).
  void abandon() noexcept;

  // --- Writing ---
  // Everything is appended to a string of the caller's. For every Request or Reject: inform()*, respond(), write()*,
  // finish(); or answer() instead of the last three.

  // A complete response: the head, with a Content-Length that `content` has, and the content. head.content_length is
  // not looked at.
  void answer(std::string& out, const ResponseHead& head, std::string_view content);

  // The same for most answers: a 200 without other fields, to a complete request of HTTP/1.1 on a connection that goes
  // on. False, and nothing has happened, where the request is not one of those.
  bool answer_plainly(std::string& out, PlainHead& plain, std::string_view content_type, std::string_view content);
  // The head. Afterwards exactly the announced content follows through write() or, put by the caller behind `out`,
  // counted by wrote(); then finish(). True when content is to follow at all (not for HEAD, 204, 205, 304 or a length
  // of 0): if not, whatever is written is swallowed.
  bool respond(std::string& out, const ResponseHead& head);
  // An interim response: 100, 102 or 103. Nothing on HTTP/1.0, whose clients do not know them.
  void inform(std::string& out, Status status, const Fields* fields = nullptr);
  // A piece of the content: chunked where the length is unknown (plain until the close on HTTP/1.0).
  void write(std::string& out, std::string_view bytes);
  // Counts content of known length that the caller sends by itself (a file).
  void wrote(std::uint64_t bytes) noexcept;
  // The end of the response. Content shorter than announced closes the connection. Trailers are written with chunked
  // content only.
  void finish(std::string& out, const Fields* trailers = nullptr);

  // Whether an answer is owed that has not begun.
  bool answer_owed() const noexcept { return writing_ == Writing::Owed; }
  // Whether the connection ends after the answer: the client asked for it, or we did, a request was rejected or left
  // unread, or the end of the content can only be shown so. Known for certain once the answer is finished.
  bool must_close() const noexcept { return close_; }
  // A 101 was written: HTTP is over, unconsumed() and what comes after it belong to the new protocol.
  bool switched() const noexcept { return reading_ == Reading::Switched; }

private:
  enum class Reading : std::uint8_t {
    Head,       // at or within a head
    Counted,    // content by Content-Length; left_ bytes to come
    ChunkSize,  // at or within a chunk-size line
    ChunkData,  // left_ bytes of this chunk to come
    ChunkEnd,   // at the CRLF behind a chunk's data
    Trailers,   // at or within the trailer section
    Ended,      // content complete, End not yet reported
    Complete,   // content complete, waiting for the answer
    Switched,   // another protocol has taken over
    Over,       // nothing is read any more
  };
  enum class Writing : std::uint8_t {
    Nothing,     // no answer is due
    Owed,        // an answer is due and has not begun
    Counted,     // to_write_ bytes of content to come
    Chunked,     // content in chunks
    UntilClose,  // content until the connection ends
    Swallowed,   // the answer has no content; what is written is dropped
    Finished,    // the answer is complete, the request's content is not
  };

  Event read_head(RequestHead& head, KnownHeads* known);
  Event read_new_head(RequestHead& head, KnownHeads* known);
  LineScanner::Found read_request_line(RequestHead& head, LineScanner& lines) noexcept;
  LineScanner::Found read_fields(RequestHead& head, LineScanner& lines);
  void view_again(RequestHead& head) const;
  Event request_complete(RequestHead& head, std::size_t size) noexcept;

  void take_piece() noexcept;
  bool read_chunk_size() noexcept;
  bool read_chunk_end() noexcept;
  bool read_trailers() noexcept;
  bool earned(const ChunkLine& chunk) noexcept;
  bool may_discard(std::uint64_t bytes) noexcept;

  bool remember(const LineScanner& lines) noexcept;
  void consume(std::size_t size) noexcept;
  Event stopped() noexcept;
  void settle() noexcept;
  void begin_reading() noexcept;

  void begin_answer(const ResponseHead& head, std::optional<std::uint64_t> length) noexcept;
  char* write_head(char* to, const ResponseHead& head, std::optional<std::uint64_t> length) const noexcept;
  char* write_framing(char* to, const ResponseHead& head, std::optional<std::uint64_t> length) const noexcept;
  bool has_no_content(Status status) const noexcept;

  const Limits* limits_;
  const char* bytes_ = nullptr;  // what receive() was given
  std::uint32_t size_ = 0;
  std::uint32_t at_ = 0;       // what of it is consumed
  std::uint32_t scanned_ = 0;  // behind at_: up to here no line ends that was not dealt with
  std::uint32_t line_ = 0;     // behind at_: where the line begins that scanned_ is in
  std::uint32_t fields_ = 0;   // behind at_: where the field section begins; 0 before the request line is read
  std::uint32_t piece_ = 0;    // size of the last Chunk, or of the line of the last Trailer
  std::uint32_t spent_ = 0;    // bytes of the current request in chunk extensions or trailers
  std::uint16_t count_ = 0;    // blank lines before the request line, then fields, then trailers
  Fault fault_ = Fault::None;  // why reading has stopped
  Reading reading_ = Reading::Head;
  Facts facts_;
  std::uint64_t left_ = 0;      // content (or of this chunk) still to be read
  std::uint64_t to_write_ = 0;  // content still to be written
  std::uint64_t discard_ = 0;   // while discarding: how much of the content may still be dropped
  Writing writing_ = Writing::Nothing;
  bool discarding_ = false;
  bool close_ = false;
  KnownHeads::Place place_;
};

static_assert(sizeof(Connection) <= 104);

}  // namespace tern::http1
