// The server side of one HTTP/1.1 connection (RFC 9110, RFC 9112) without I/O: bytes in, events out. Responses are
// appended to the caller's string. No socket, clock, thread or memory of its own.
//
// Life of a request:
//   receive(bytes)                      received bytes that were not consumed yet
//   next(head) -> Request               the head, as views into the bytes; keep_alive() and the like are valid now
//   take_content(), or
//   next(head) -> Chunk* -> Trailer* -> End   the content in pieces (views again), NeedMore in between
//   respond(), write()*, finish()       the response; may begin before End
//   must_close()?                       the connection ends here; otherwise next(head) reads the next request
//
// A request is read only after the response to the previous one is finished. A valid request is therefore always
// answered before an invalid one behind it.
#pragma once

#include "http1/chunk_line.hpp"
#include "http1/fault.hpp"
#include "http1/framing.hpp"
#include "http1/limits.hpp"
#include "http1/request_head_cache.hpp"
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
  NeedMore,  // receive() more bytes, or (waiting_for() == Nothing) respond first
  Request,   // a head; every Request needs one response
  Chunk,     // a piece of its content: chunk()
  Trailer,   // a trailer field after chunked content: trailer()
  End,       // the content, possibly none, is complete
  Reject,    // the input violates HTTP/1.1: see rejected(). Respond if no response has begun, then close
  Closed,    // nothing more is read from this connection
};

// The timeout that applies.
enum class Waiting : std::uint8_t {
  Idle,     // between requests, with no byte of the next one
  Head,     // within a request head
  Body,     // within the content
  Nothing,  // waits for the response, or for the end of the connection
};

// The head of the last simple response (a 200 with a content type, shared fields and a length), reused while it stays
// the same. The status line, Date and Server change at most once a second; the rest is rewritten when it differs.
class CachedResponseHead {
public:
  // Sets the fields for the next second. Fields that do not fit disable the cache.
  void set(std::string_view date, std::string_view server) noexcept;

  // Valid until the next call. Empty if it does not fit. `shared` is the same while its address is. The other fields of
  // the response belong before the last `framing_size` bytes.
  std::string_view head_for(std::string_view content_type, std::string_view shared, std::size_t length) noexcept {
    if (length != length_ || shared.data() != shared_ || content_type != type_) finish(content_type, shared, length);
    return {text_.data(), size_};
  }
  // Content-Length and the empty line.
  std::size_t framing_size() const noexcept { return framing_size_; }

private:
  void finish(std::string_view content_type, std::string_view shared, std::size_t length) noexcept;

  static constexpr std::size_t max_common = 128;
  static constexpr std::size_t max_rest = 128;  // type and length
  static constexpr std::size_t max_shared = 768;
  std::array<char, max_common + max_rest + max_shared> text_{};
  std::size_t common_ = 0;  // bytes of status line, Date and Server; 0: disabled
  std::size_t size_ = 0;
  std::size_t framing_size_ = 0;
  std::string_view type_;  // its position in text_
  const char* shared_ = nullptr;
  std::size_t length_ = static_cast<std::size_t>(-1);
};

// The head of a response. Read during respond() only.
struct ResponseHead {
  Status status = Status::Ok;
  const Fields* fields = nullptr;                   // the user's fields; may be null
  std::string_view content_type = {};               // no field when empty
  std::optional<std::uint64_t> content_length = 0;  // unset: not known in advance
  std::string_view date = {};     // IMF-fixdate; no field when empty or when `fields` has a Date of its own
  std::string_view server = {};   // no field when empty or when `fields` has a Server of its own
  std::string_view upgrade = {};  // protocol name, with status 101 only
  bool close = false;             // close the connection after this response (a drain, an error)
};

class Connection {
public:
  // `limits` outlives the connection.
  explicit Connection(const Limits& limits) noexcept : limits_(&limits) {}

  // --- Reading ---

  // `bytes` are all received bytes that were not consumed: first the unconsumed rest of the last call, unchanged, then
  // the new ones. They must stay valid while views into them are used, and `padding` readable bytes of any value must
  // follow them.
  void receive(std::string_view bytes) noexcept;

  // Whether next() may have an event: false between two requests without a byte of the second.
  bool has_input() const noexcept { return reading_ != Reading::Head || at_ != size_; }

  // The next event. Only Request fills `head`; other events during a head leave its content unspecified. A head
  // that equals the last one is not parsed again. Throws only std::bad_alloc (from the list of fields).
  Event next(RequestHead& head);

  // After Chunk: a view into the received bytes.
  std::string_view chunk() const noexcept { return {bytes_ + at_ - piece_, piece_}; }

  // After Trailer: views into the received bytes.
  Field trailer() const noexcept;

  // The number of receive()'s bytes that need not be presented again. A head stays unconsumed until it is complete,
  // because it must be contiguous; no byte of it is scanned twice. The views of a Request point into consumed bytes.
  std::size_t consumed() const noexcept { return at_; }

  // The rest of the received bytes (after 101 Switching Protocols: the first bytes of the new protocol).
  std::string_view unconsumed() const noexcept { return {bytes_ + at_, std::size_t{size_} - at_}; }

  // After Reject.
  http1::Reject rejected() const noexcept { return describe(fault_); }
  Fault fault() const noexcept { return fault_; }

  Waiting waiting_for() const noexcept;

  // --- Framing of the current request: from Request until its answer is finished ---

  // Whether the client allows reuse: HTTP/1.1 without `Connection: close`, or HTTP/1.0 with `Connection: keep-alive`.
  bool keep_alive() const noexcept { return framing_.keep_alive(); }
  bool has_body() const noexcept { return framing_.has_content(); }
  bool chunked() const noexcept { return framing_.has(Framing::Chunked); }
  std::optional<std::uint64_t> content_length() const noexcept;
  // The client waits for `100 Continue` before it sends the content, and no byte of it has arrived: call inform()
  // before reading the content.
  bool expects_continue() const noexcept;
  // Has `Upgrade` and `Connection: upgrade` on HTTP/1.1. The protocols are in the fields.
  bool upgrade_requested() const noexcept { return framing_.upgrade_requested(); }

  // The whole content if there is none, or if it was received with the head (by Content-Length): no Chunk or End
  // follows for this request. Otherwise nullopt, without effect. Call it right after Request.
  std::optional<std::string_view> take_content() noexcept;
  // Whether the content was read completely.
  bool content_complete() const noexcept { return reading_ == Reading::Complete || reading_ == Reading::Ended; }

  // The remaining content (by Content-Length) once all received bytes of it were presented; otherwise 0.
  std::uint64_t remaining_content() const noexcept {
    return reading_ == Reading::Counted && at_ == size_ && !discarding_ ? left_ : 0;
  }
  // The caller received `bytes` of remaining_content() directly; they are not presented.
  void advance_content(std::uint64_t bytes) noexcept;

  // Discards the rest of the content without events if it is at most `at_most` bytes. If it is more, or the client
  // still waits for 100 Continue, must_close() becomes true and the result is false. Call it before respond(), so that
  // the response can announce the close. (Content that is neither read nor discarded when the response is finished
  // closes the connection.)
  bool discard_content(std::uint64_t at_most) noexcept;

  // Stops reading (a timeout, a drain): next() returns Closed, must_close() is true. If no response to the current or
  // partly read request has begun, one may be written (408).
  void abandon() noexcept;

  // --- Writing ---
  // Output is appended to the caller's string. For every Request or Reject: inform()*, respond(), write()*, finish();
  // or answer() in place of the last three.

  // A complete response: the head, with the Content-Length of `content`, and the content. Ignores head.content_length.
  void answer(std::string& out, const ResponseHead& head, std::string_view content);

  // The same for a 200 to a complete HTTP/1.1 request on a persistent connection, whose fields are none that answer()
  // looks for. False, without effect, for any other request.
  bool answer_with_cached_head(std::string& out, CachedResponseHead& cached, std::string_view content_type,
                               const Fields& fields, std::string_view content);
  // Writes the head. Exactly the announced content follows through write() or, when the caller sends it after `out`
  // itself, is counted by wrote(); then finish(). True if content follows at all (not for HEAD, 204, 205, 304 or a
  // length of 0); otherwise write() discards its argument.
  bool respond(std::string& out, const ResponseHead& head);
  // An interim response: 100, 102 or 103. Not sent on HTTP/1.0, whose clients do not know them.
  void inform(std::string& out, Status status, const Fields* fields = nullptr);
  // A piece of the content: chunked if the length is unknown (until the close on HTTP/1.0).
  void write(std::string& out, std::string_view bytes);
  // Whether content of known length follows, for wrote().
  bool counts_content() const noexcept { return writing_ == Writing::Counted; }
  // Counts content of known length that the caller sends itself (a file).
  void wrote(std::uint64_t bytes) noexcept;
  // Ends the response. Content shorter than announced closes the connection. Trailers are written only with chunked
  // content.
  void finish(std::string& out, const Fields* trailers = nullptr);

  // Whether a response is due and has not begun.
  bool answer_owed() const noexcept { return writing_ == Writing::Owed; }
  // Whether the connection ends after the response: the client or the server asked for it, a request was rejected or
  // left unread, or the close delimits the content. Final once the response is finished.
  bool must_close() const noexcept { return close_; }
  // A 101 was written: unconsumed() and all later bytes belong to the new protocol.
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
    Over,       // nothing more is read
  };
  enum class Writing : std::uint8_t {
    Nothing,     // no response is due
    Owed,        // a response is due and has not begun
    Counted,     // to_write_ bytes of content to come
    Chunked,     // content in chunks
    UntilClose,  // content until the connection ends
    Swallowed,   // the response has no content; write() discards its argument
    Finished,    // the response is complete, the request's content is not
  };

  Event read_head(RequestHead& head);
  Event read_new_head(RequestHead& head);
  LineScanner::Found read_request_line(RequestHead& head, LineScanner& lines) noexcept;
  LineScanner::Found read_fields(RequestHead& head, LineScanner& lines);
  void rebuild_views(RequestHead& head) const;
  Event request_complete(RequestHead& head, std::size_t size) noexcept;

  void take_chunk() noexcept;
  bool read_chunk_size() noexcept;
  bool read_chunk_end() noexcept;
  bool read_trailers() noexcept;
  bool within_extension_budget(const ChunkLine& chunk) noexcept;
  bool may_discard(std::uint64_t bytes) noexcept;

  bool save_scan(const LineScanner& lines) noexcept;
  void consume(std::size_t size) noexcept;
  Event stopped() noexcept;
  void begin_next_if_complete() noexcept;
  void begin_next() noexcept;

  void begin_answer(const ResponseHead& head, std::optional<std::uint64_t> length) noexcept;
  char* write_head(char* to, const ResponseHead& head, std::optional<std::uint64_t> length) const noexcept;
  char* write_framing(char* to, const ResponseHead& head, std::optional<std::uint64_t> length) const noexcept;
  bool has_no_content(Status status) const noexcept;

  const Limits* limits_;
  const char* bytes_ = nullptr;  // from receive()
  std::uint32_t size_ = 0;
  std::uint32_t at_ = 0;        // bytes consumed
  std::uint32_t scanned_ = 0;   // relative to at_: no line end before this offset is unprocessed
  std::uint32_t line_ = 0;      // relative to at_: begin of the line that is being scanned
  std::uint32_t fields_ = 0;    // relative to at_: begin of the field section; 0 before the request line is read
  std::uint32_t piece_ = 0;     // size of the last Chunk, or of the line of the last Trailer
  std::uint32_t overhead_ = 0;  // bytes of the current request in chunk extensions or trailers
  std::uint16_t count_ = 0;     // blank lines before the request line, then fields, then trailers
  Fault fault_ = Fault::None;   // why reading stopped
  Reading reading_ = Reading::Head;
  Framing framing_;
  std::uint64_t left_ = 0;      // content (or data of this chunk) still to be read
  std::uint64_t to_write_ = 0;  // content still to be written
  std::uint64_t discard_ = 0;   // while discarding: bytes that may still be discarded
  Writing writing_ = Writing::Nothing;
  bool discarding_ = false;
  bool close_ = false;
  RequestHeadCache head_cache_;
};

static_assert(sizeof(Connection) <= 120);

}  // namespace tern::http1
