// The server side of one HTTP/2 connection (RFC 9113), without I/O: bytes in, events out; what is to be sent is
// appended to a string of the caller's. No socket, no clock, no thread. Frames, HPACK, flow control and the order of
// what is sent (RFC 9218) are nghttp2's; what it leaves unbounded is counted here: see Limits.
//
// Life of a stream:
//   receive(bytes) asks the owner for a Stream when a request begins;
//   next() gives each stream to which something has happened, once, with what it was: take_happened();
//   `request`   the head is in the RequestHead: serve it, or answer refused(). Sooner or later one answer:
//               inform()*, then answer(), or respond(), write()*, finish(); or reset() at any time
//   `content`   read() gives what has arrived; the client may send as much again as was read
//   `answered`  the answer has left; where much of the request's content is still to come, the stream is reset, without
//               error, behind it; where it may be little, it is taken and dropped until the owner resets the stream
//   `closed`    the last event; the session does not touch the stream any more
// After anything that may have made output: send(), until it appends nothing. When done(), close the connection.
//
// Nothing of the owner's is called from inside nghttp2 but Owner; whatever a handler does, it does between two calls.
#pragma once

#include "http2/allowance.hpp"
#include "http2/frame_scanner.hpp"
#include "http2/head_reader.hpp"
#include "http2/known_blocks.hpp"
#include "http2/limits.hpp"
#include "http2/memory.hpp"
#include "http2/request_rules.hpp"
#include "http2/stream.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct nghttp2_session;

namespace tern::http2 {

// What a client without TLS begins with when it knows that the server speaks HTTP/2 (section 3.4): the part of it that
// looks like a request line.
inline constexpr std::string_view preface_line = "PRI * HTTP/2.0\r\n";

class Owner {
public:
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  // A new stream, or null: it is refused then, and the client may try it again elsewhere. Calls nothing of the session.
  virtual Stream* open_stream() = 0;

protected:
  Owner() = default;
  ~Owner() = default;
};

// The head of an answer. The server's name outlives the session; everything else is read during the call.
struct ResponseHead {
  Status status = Status::Ok;
  const Fields* fields = nullptr;
  std::string_view content_type = {};  // no field when empty
  std::string_view date = {};          // no field when empty or when `fields` has a Date of its own
  std::string_view server = {};        // likewise
};

class Session {
public:
  // `limits` and `owner` outlive the session. Throws std::bad_alloc.
  Session(const Limits& limits, Owner& owner);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // --- Reading ---

  // All of `bytes` are consumed; what the owner throws ends the connection without a word. `now` is in milliseconds on
  // a steady clock. After what ends the connection, false: the GOAWAY that tells is among the output, and whatever
  // arrives later is dropped.
  bool receive(std::string_view bytes, std::uint64_t now);

  // A stream to which something has happened since; null when there is none, or the connection ends.
  Stream* next() noexcept;
  static Happened take_happened(Stream& stream) noexcept { return std::exchange(stream.happened_, {}); }

  // The content that has arrived and was not read, moved into `into`.
  void read(Stream& stream, std::string& into);
  // The rest of the content is not wanted: it is dropped, and past 64 KiB the client may not send more.
  void discard(Stream& stream);
  // Content that was not read takes no room in the window of the connection any more: the stream's own bounds it.
  void stand_alone(Stream& stream);
  // Whether content that was not read fills the window of the connection.
  bool window_is_full() const noexcept;

  // Has the client say something, which it does whatever the windows are (RFC 9113, section 6.7).
  void ping();

  // Streams that the session has and has not reported as closed.
  std::size_t streams() const noexcept { return streams_; }
  // A request head has begun to arrive, and is not complete.
  bool within_head() const noexcept { return heads_.within(); }
  // The client has sent its preface and settings.
  bool greeted() const noexcept { return greeted_; }

  // --- Writing ---

  // An interim response: 100 or 103.
  void inform(Stream& stream, Status status, const Fields* fields = nullptr);
  // A complete response with the Content-Length of `content`. The second keeps a view: it must live until `answered`
  // or `closed`.
  void answer(Stream& stream, const ResponseHead& head, std::string&& content);
  void answer_borrowed(Stream& stream, const ResponseHead& head, std::string_view content);
  // The head; false when no content follows (HEAD, 204, 304, 205): the answer is complete then.
  bool respond(Stream& stream, const ResponseHead& head);
  void write(Stream& stream, std::string_view bytes);
  void finish(Stream& stream, const Fields& trailers);
  // Gives the memory of content that has left back, unless it is little: for who is silent for long.
  void trim(Stream& stream);
  // What is written leaves before the content of other streams, in turn with others like it (RFC 9218: urgency 2,
  // incremental).
  void prefer(Stream& stream);
  // Gives the stream up.
  void reset(Stream& stream, ErrorCode why);

  // Appends what is to be sent, at most Limits::unframed bytes and one frame.
  void send(std::string& out);

  // Bytes of content that have left, of all streams.
  std::uint64_t delivered() const noexcept { return delivered_; }
  // Whether the client takes no more content: of a stream, of all together.
  bool lacks_window(const Stream& stream) const noexcept;
  bool lacks_window() const noexcept;
  // Bytes of content that the client takes of a stream at present.
  std::size_t window(const Stream& stream) const noexcept;

  // --- The end ---

  // No more requests, in two steps (section 6.8): an announcement, after which streams are still taken until the client
  // shows that it knows; then the last stream's number. Those that are there go on.
  void drain();
  // The second step, whether the client has shown it or not.
  void refuse_streams();
  bool refusing_streams() const noexcept { return refusing_; }
  // Gives everything up, with a GOAWAY.
  void terminate(ErrorCode why);
  // Whether the connection ends although there may be streams: terminate(), or what the client has done.
  bool failed() const noexcept { return over_; }
  // Whether nothing more is to be said or heard: send what there is, and close.
  bool done() const noexcept;

private:
  struct Told {
    std::int32_t id;
    Priority priority;
  };
  struct Callbacks;
  friend struct Callbacks;

  void look_at_block(std::string_view& bytes, std::string_view& rest);
  void read_known(const KnownBlock& known);
  void read_frames(std::string_view bytes);
  [[noreturn]] void throw_on();
  bool take(Allowance& allowance) noexcept;
  bool count(std::uint8_t type, std::uint8_t flags) noexcept;
  bool is_over(std::int32_t id) const noexcept;
  Stream* find(std::int32_t id) const noexcept;
  Stream* open(std::int32_t id);
  void end_head(std::int32_t id, Stream* stream, bool ends);
  void begin_request(Stream& stream, const std::optional<Priority>& priority);
  void told_priority(std::int32_t id, std::string_view value);
  void malformed(std::int32_t id);
  void queue(Stream& stream) noexcept;
  bool content_arrived(Stream& stream, std::string_view bytes);
  void content_ended(Stream& stream);
  void closed(Stream& stream);
  void submit(Stream& stream, const ResponseHead& head, std::optional<std::size_t> length, bool content);
  void resume(Stream& stream);
  void consumed(Stream& stream, std::size_t bytes);
  void drop(Stream& stream, std::size_t bytes);
  void give_room(const Stream& stream, std::size_t bytes);
  void stop_content(Stream& stream);

  const Limits* limits_;
  Owner* owner_;
  Memory memory_;  // of session_
  nghttp2_session* session_ = nullptr;
  FrameScanner frames_;
  RequestRules rules_;
  HeadReader heads_;
  KnownBlocks blocks_;
  const KnownBlock* known_ = nullptr;  // while its frame is read
  std::string_view new_block_;         // while its frame is read: to be kept
  Stream* first_ = nullptr;            // of those to which something has happened
  Stream* last_ = nullptr;
  Stream* recent_ = nullptr;    // one that is open
  std::string* out_ = nullptr;  // during send()
  std::size_t stop_at_ = 0;
  std::size_t streams_ = 0;
  std::int32_t last_id_ = 0;                  // that the client has used
  std::array<std::int32_t, 128> we_reset_{};  // the last streams that ended by our reset
  std::size_t resets_sent_ = 0;
  std::vector<Told> told_;  // before the streams began
  std::uint64_t now_ = 0;
  std::uint64_t delivered_ = 0;
  Allowance resets_;
  Allowance settings_;
  Allowance pings_;
  Allowance priorities_;
  Allowance empty_data_;
  Allowance window_updates_;
  ErrorCode fault_ = ErrorCode::None;  // of the client; why the connection has to end
  bool greeted_ = false;
  bool draining_ = false;
  bool refusing_ = false;
  bool over_ = false;
  bool dead_ = false;          // it cannot even say so
  std::exception_ptr thrown_;  // by a callback, until nghttp2 has returned
};

}  // namespace tern::http2
