// The server side of one HTTP/2 connection (RFC 9113) without I/O: bytes in, events out. Output is appended to the
// caller's string. No socket, clock or thread. nghttp2 implements frames, HPACK, flow control and the order of output
// (RFC 9218); this class bounds what nghttp2 does not: see Limits.
//
// Life of a stream:
//   receive(bytes) requests a Stream from the StreamFactory when a request begins;
//   next() returns each stream with new events once; take_events() has them:
//   `request`   the head is in the RequestHead: serve it, or answer refused(). Each request needs one response:
//               inform()*, then answer(), or respond(), write()*, finish(); or reset() at any time
//   `content`   read() returns the received content; reading opens the window again
//   `answered`  the response was sent; if much of the request's content is missing, the stream is reset with NO_ERROR
//               behind it; if little may be missing, it is received and discarded until the owner resets the stream
//   `closed`    the last event; the session does not access the stream any more
// After every call that may have produced output: send(), until it appends nothing. When done(), close the connection.
//
// nghttp2's callbacks call no code of the owner except the StreamFactory; handlers run between two calls of the
// session.
#pragma once

#include "http2/frame_scanner.hpp"
#include "http2/head_reader.hpp"
#include "http2/header_block_cache.hpp"
#include "http2/limits.hpp"
#include "http2/memory.hpp"
#include "http2/request_rules.hpp"
#include "http2/stream.hpp"
#include "http2/token_bucket.hpp"

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

// The first line of the connection preface, by which a client begins HTTP/2 with prior knowledge (section 3.4).
inline constexpr std::string_view preface_line = "PRI * HTTP/2.0\r\n";

class StreamFactory {
public:
  StreamFactory(const StreamFactory&) = delete;
  StreamFactory& operator=(const StreamFactory&) = delete;

  // Returns a new stream, or null to refuse it: the client may retry it. Must not call the session.
  virtual Stream* open_stream() = 0;

protected:
  StreamFactory() = default;
  ~StreamFactory() = default;
};

// The head of a response. `server` outlives the session; everything else is read during the call.
struct ResponseHead {
  Status status = Status::Ok;
  const Fields* fields = nullptr;
  std::string_view content_type = {};                // no field when empty
  std::string_view date = {};                        // no field when empty or when `fields` has a Date of its own
  std::string_view server = {};                      // no field when empty or when `fields` has a Server of its own
  std::optional<std::uint64_t> content_length = {};  // of respond(), where it is known; answer() has the content's
};

class Session {
public:
  // `limits` and `streams` outlive the session. Throws std::bad_alloc.
  Session(const Limits& limits, StreamFactory& streams);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // --- Reading ---

  // Consumes all of `bytes`. An exception of the StreamFactory ends the connection without GOAWAY. `now` is in
  // milliseconds on a steady clock. False once the connection has failed: the output has the GOAWAY, and later input is
  // ignored.
  bool receive(std::string_view bytes, std::uint64_t now);

  // The next stream with new events; null if there is none, or the connection has failed.
  Stream* next() noexcept;
  static StreamEvents take_events(Stream& stream) noexcept { return std::exchange(stream.events_, {}); }

  // Moves the received content into `into`.
  void read(Stream& stream, std::string& into);
  // Discards the rest of the content. Beyond 64 KiB, the client gets no more window for it.
  void discard(Stream& stream);
  // Unread content of the stream no longer counts towards the connection's window; the stream's own window bounds it.
  void exempt_from_connection_window(Stream& stream);
  // Whether unread content fills the window of the connection.
  bool window_is_full() const noexcept;

  // Sends a PING: the client must answer it regardless of windows (RFC 9113, section 6.7).
  void ping();

  // Open streams: not yet reported as closed.
  std::size_t streams() const noexcept { return streams_; }
  // A request head has begun to arrive and is not complete.
  bool within_head() const noexcept { return heads_.within(); }
  // The client has sent its preface and settings.
  bool preface_received() const noexcept { return preface_received_; }

  // --- Writing ---

  // An interim response: 100 or 103.
  void inform(Stream& stream, Status status, const Fields* fields = nullptr);
  // A complete response with the Content-Length of `content`. answer_borrowed() keeps a view, which must live until
  // `answered` or `closed`.
  void answer(Stream& stream, const ResponseHead& head, std::string&& content);
  void answer_borrowed(Stream& stream, const ResponseHead& head, std::string_view content);
  // Writes the head. False if no content follows (HEAD, 204, 304, 205): the response is complete then.
  bool respond(Stream& stream, const ResponseHead& head);
  void write(Stream& stream, std::string_view bytes);
  // The next `size` bytes are read from `source` when they are sent. It must live until unsent() is 0 or the stream is
  // closed; until then, further content comes from the same source.
  void write_from(Stream& stream, ContentSource& source, std::size_t size);
  void finish(Stream& stream, const Fields& trailers);
  // Frees the buffer of sent content unless it is small: for streams that may be idle for long.
  void trim(Stream& stream);
  // Sends the stream's content before that of others, in turn with equals (RFC 9218: urgency 2, incremental).
  void prioritize(Stream& stream);
  // Resets the stream.
  void reset(Stream& stream, ErrorCode why);

  // Appends pending output: at most Limits::max_send_bytes and one frame.
  void send(std::string& out);

  // Bytes of content sent on all streams.
  std::uint64_t delivered() const noexcept { return delivered_; }
  // Streams that were reset so far.
  std::size_t resets_received() const noexcept { return resets_received_; }
  std::size_t resets_sent() const noexcept { return resets_sent_; }
  // Whether a GOAWAY has told the client of its fault.
  bool sent_fault() const noexcept { return sent_fault_; }
  // Whether the client's window is exhausted: of a stream, of the connection.
  bool lacks_window(const Stream& stream) const noexcept;
  bool lacks_window() const noexcept;
  // Bytes of content that may be sent on a stream now.
  std::size_t window(const Stream& stream) const noexcept;

  // --- The end ---

  // Refuses new requests in two steps (section 6.8): a GOAWAY that announces it, after which streams are still accepted
  // until the client acknowledges; then a GOAWAY with the last stream's number. Open streams continue.
  void drain();
  // The second step, whether or not the client has acknowledged.
  void refuse_streams();
  bool refusing_streams() const noexcept { return refusing_; }
  // Ends the connection and all streams with a GOAWAY.
  void terminate(ErrorCode why);
  // Whether the connection ends before its streams: by terminate(), or by a fault of the client.
  bool failed() const noexcept { return over_; }
  // Whether nothing more will be sent or received: send the output, and close.
  bool done() const noexcept;

private:
  struct EarlyPriority {
    std::int32_t id;
    Priority priority;
  };
  struct Callbacks;
  friend struct Callbacks;

  void scan_block(std::string_view& bytes, std::string_view& rest);
  void read_cached(const CachedHeaderBlock& cached);
  void read_frames(std::string_view bytes);
  [[noreturn]] void rethrow();
  bool spend(TokenBucket& bucket) noexcept;
  bool count(std::uint8_t type, std::uint8_t flags) noexcept;
  bool is_over(std::int32_t id) const noexcept;
  Stream* find(std::int32_t id) const noexcept;
  Stream* open(std::int32_t id);
  void end_head(std::int32_t id, Stream* stream, bool ends);
  void begin_request(Stream& stream, const std::optional<Priority>& priority);
  void on_priority_update(std::int32_t id, std::string_view value);
  void malformed(std::int32_t id);
  void queue(Stream& stream) noexcept;
  bool content_arrived(Stream& stream, std::string_view bytes);
  void content_ended(Stream& stream);
  void closed(Stream& stream);
  void submit(Stream& stream, const ResponseHead& head, std::optional<std::size_t> length, bool content);
  void resume(Stream& stream);
  void consumed(Stream& stream, std::size_t bytes);
  void drop(Stream& stream, std::size_t bytes);
  void return_connection_window(const Stream& stream, std::size_t bytes);
  void stop_content(Stream& stream);

  const Limits* limits_;
  StreamFactory* stream_factory_;
  Memory memory_;  // used by session_
  nghttp2_session* session_ = nullptr;
  FrameScanner frames_;
  RequestRules rules_;
  HeadReader heads_;
  HeaderBlockCache block_cache_;
  const CachedHeaderBlock* cached_block_ = nullptr;  // set while its frame is read
  std::string_view block_to_cache_;                  // set while its frame is read
  Stream* first_ = nullptr;                          // queue of the streams with new events
  Stream* last_ = nullptr;
  Stream* recent_ = nullptr;    // the last stream that find() is likely to be asked for
  std::string* out_ = nullptr;  // during send()
  std::size_t stop_at_ = 0;
  std::size_t streams_ = 0;
  std::int32_t last_id_ = 0;                     // highest stream number of the client
  std::array<std::int32_t, 128> reset_by_us_{};  // the last streams that the server has reset
  std::size_t resets_sent_ = 0;
  std::size_t resets_received_ = 0;
  std::vector<EarlyPriority> early_priorities_;  // received before their streams began
  std::uint64_t now_ = 0;
  std::uint64_t delivered_ = 0;
  TokenBucket resets_;
  TokenBucket settings_;
  TokenBucket pings_;
  TokenBucket priorities_;
  TokenBucket empty_data_;
  TokenBucket window_updates_;
  ErrorCode fault_ = ErrorCode::None;  // of the client; ends the connection
  bool preface_received_ = false;
  bool draining_ = false;
  bool refusing_ = false;
  bool over_ = false;
  bool sent_fault_ = false;
  bool aborted_ = false;       // not even a GOAWAY can be sent
  std::exception_ptr thrown_;  // by a callback; rethrown after nghttp2 has returned
};

}  // namespace tern::http2
