// The interface between servers and applications: Exchange, one request and its response, and Service, which responds.
#pragma once

#include <tern/base/arena.hpp>
#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/http/log_options.hpp>
#include <tern/http/problem.hpp>
#include <tern/http/reply.hpp>
#include <tern/http/request.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tern {

namespace coro {
class Context;
}

// Limits that a route may set.
struct Limits {
  std::size_t max_body_bytes = 10 * 1024 * 1024;  // of content; beyond it 413
  // For an asynchronous handler, from the complete content on: beyond it, the client gets 503 and a close, and the
  // handler is stopped. Zero: no limit.
  Milliseconds handler_timeout = Milliseconds(0);
  // HTTP/1.1: a client that ends its sending side after its request (FIN, or close_notify) still gets its response.
  // Otherwise it counts as disconnected: a waiting handler is stopped, and its response is discarded.
  bool half_close = false;
};

// Why content could not be read completely: a kind, and the matching response. Errors of one kind are equal.
class StreamError {
public:
  enum Kind : std::uint8_t {
    Disconnected,  // the client has disconnected
    TooLarge,      // more than Limits::max_body_bytes (413)
    Malformed,     // malformed framing (400), or trailers beyond a limit (431)
    TooSlow,       // below the minimum data rate (408)
    Overloaded,    // the budget for buffered content is used up (503)
  };

  StreamError(Kind kind) noexcept;
  // Malformed content with the protocol's reason; `detail` is literal text.
  StreamError(Status status, std::string_view detail) noexcept
      : detail_(detail), status_(status), kind_(Kind::Malformed) {}

  Kind kind() const noexcept { return kind_; }
  Status status() const noexcept { return status_; }
  std::string_view detail() const noexcept { return detail_; }

  friend bool operator==(const StreamError& left, const StreamError& right) noexcept {
    return left.kind_ == right.kind_;
  }

private:
  std::string_view detail_;
  Status status_;
  Kind kind_;
};

// The matching response.
Problem to_problem(const StreamError& error);

struct Service;
class Exchange;
namespace app {
class Core;
}

namespace http {
class ContentDecoder;
class DecodedContent;
std::expected<bool, StreamError> collect(Exchange& exchange);
}  // namespace http
Task<std::expected<void, StreamError>> read_body(Exchange& exchange);

// One request and its response. Outlives the socket and the handler; belongs to one loop. The virtual functions are
// implemented by servers, for an HTTP/1.1 connection or an HTTP/2 stream, and in memory for tests.
class Exchange {
public:
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  Request& request() noexcept { return request_; }
  Arena& arena() noexcept { return arena_; }
  StopToken stop() noexcept { return StopToken(stop_); }

  // What its handler works for, see coro::Context; null: nothing that is known. Set before the service is called; valid
  // until the handler has ended.
  coro::Context* work_context() const noexcept { return work_context_; }
  void set_work_context(coro::Context* context) noexcept { work_context_ = context; }

  // The index of the server's loop, from 0.
  std::size_t loop_index() const noexcept { return loop_index_; }

  // The service that handles this exchange; set by the service itself.
  const Service& service() const noexcept { return *service_; }
  void set_service(const Service& service) noexcept { service_ = &service; }
  // The service's response to this request for an error.
  Response refuse(const Problem& problem) const noexcept;

  // Copies the head and content that is still in the receive buffer into the exchange, and moves the request's views
  // there: they stay valid beyond this iteration. Must be called before user code keeps a view across a suspension.
  // Further calls have no effect.
  void pin();
  bool pinned() const noexcept { return pinned_; }

  // Before the first byte of content is read.
  virtual void limit(const Limits& limits) = 0;
  virtual const Limits& limits() const noexcept = 0;

  // Whether read() can be called until the end without waiting. True if there is no content.
  bool body_complete() const noexcept { return body_complete_ && decoded_ == nullptr; }

  // For middleware, before the first byte of content is read: from now on the content is what `decoder` makes of the
  // received bytes, and Limits::max_body_bytes applies to both. Pins the exchange. See http::ContentDecoder.
  void decode_with(base::Box<http::ContentDecoder> decoder);
  bool decodes() const noexcept { return decoded_ != nullptr; }

  // The announced length of the content; 0 if it is unknown, or there is no content.
  std::uint64_t announced() const noexcept { return announced_; }

  // Whether read() has a result. The first call requests the content from the client (Expect: 100-continue).
  bool readable() { return decoded_ == nullptr ? has_received() : decoded_readable(); }

  // Resumes `waiting` once, on the loop, when readable() becomes true. Only one coroutine may wait at a time; null
  // removes it before its frame is destroyed.
  void when_readable(std::coroutine_handle<> waiting);

  // The next piece of content, empty at its end. The view is valid until the caller suspends.
  std::expected<std::string_view, StreamError> read() { return decoded_ == nullptr ? take_received() : read_decoded(); }

  // Counts `bytes` of buffered content towards the budget of all exchanges, until this one ends. False if the budget is
  // used up.
  virtual bool charge(std::size_t bytes) = 0;

  // Sends an interim response (103 Early Hints) if the protocol supports it.
  virtual void inform(Status status, const Fields& fields) = 0;

  // Writes a line to the server's error log: for details that must not reach the client.
  void report(std::string_view message) { log({LogLevel::Error, http::app_part, message}); }
  // For middleware that refuses this request since the server is overloaded: counts it.
  virtual void note_shed() noexcept {}
  // See Request::log().
  virtual void log(const http::LogLine& line) = 0;

  // The client's address as text (an IP address without port, or "unix:"), valid as long as the exchange.
  virtual std::string_view remote() = 0;
  virtual std::uint16_t remote_port() = 0;
  // "http" or "https".
  virtual std::string_view scheme() = 0;
  // See Request::from_trusted_proxy().
  virtual bool from_trusted_proxy() { return false; }
  // Null if the request did not use TLS.
  virtual const TlsFacts* tls() = 0;
  // See Request::listener().
  virtual std::string_view listener() { return {}; }

  // An empty string with the memory of an earlier response: for rendering without allocation.
  std::string take_scratch() noexcept { return std::exchange(scratch_, {}); }

protected:
  Exchange() noexcept : request_(*this) {}
  ~Exchange() = default;

  // The same as readable(), when_readable() and read() for the content as it was received.
  virtual bool has_received() = 0;
  virtual void when_received(std::coroutine_handle<> waiting) = 0;
  virtual std::expected<std::string_view, StreamError> take_received() = 0;
  // Resumes a coroutine of when_received(), unless what was received cannot be decoded to anything yet: then it waits
  // again.
  void resume_reader(std::coroutine_handle<> waiting);

  // Whether read_body() waits: content may be appended to collected_body() directly.
  bool collecting() const noexcept { return collecting_; }
  // Counts collected_body() towards the budget up to `size` bytes, each byte once. False if the budget is used up.
  bool charge_collected(std::size_t size);
  // Reserves at least `size` more bytes in collected_body(). Reserves more of the announced length as more content has
  // arrived; `come` is the part of `size` that has.
  void make_room(std::size_t size, std::size_t come);

  // Resets the exchange for the next request on the same loop, keeping small buffers.
  void recycle() noexcept;
  void give_scratch(std::string used) noexcept;

  Request request_;
  StopState stop_;
  Arena arena_;  // after stop_: objects in the arena may be registered there
  std::string scratch_;
  const Service* service_ = nullptr;
  coro::Context* work_context_ = nullptr;
  std::size_t loop_index_ = 0;
  std::uint64_t announced_ = 0;
  bool body_complete_ = true;
  bool pinned_ = false;

private:
  friend class http::DecodedContent;
  friend std::expected<void, StreamError> read_complete_body(Exchange& exchange);
  friend Task<std::expected<void, StreamError>> read_body(Exchange& exchange);
  friend std::expected<bool, StreamError> http::collect(Exchange& exchange);

  bool decoded_readable();
  std::expected<std::string_view, StreamError> read_decoded();

  http::DecodedContent* decoded_ = nullptr;  // in the arena
  bool collecting_ = false;
  std::size_t counted_ = 0;  // bytes of collected_body() that were charged
};

// Handles requests. Called by any loop at any time, and therefore const.
struct Service {
  // Called when the head is complete. Neither this function nor the reply's task throws.
  virtual Reply serve(Exchange& exchange) const noexcept = 0;

  // The response to input that is not a valid request (400, 408, 413, 431, …), or was abandoned.
  virtual Response refuse(const Problem& problem) const noexcept = 0;
  // The response to `request` for an error.
  virtual Response refuse_request(const Problem& problem, const Request& request) const noexcept;
  // The response to an exchange that serve() has begun, in place of the one from there: for errors of the server, such
  // as a timeout of the handler. The handler may still run.
  virtual Response refuse_instead(const Problem& problem, Exchange& exchange) const noexcept;
  // The app that this service is part of; null for other services.
  virtual const app::Core* app() const noexcept { return nullptr; }

protected:
  ~Service() = default;
};

namespace http {

// Waits for Exchange::readable(). Throws Cancelled if the coroutine is stopped, also if it was before.
class ContentWait : private Turn, private StopCallback {
public:
  explicit ContentWait(Exchange& exchange) noexcept : exchange_(exchange) {}
  ~ContentWait() {
    if (waiting_ && !stopped_) exchange_.when_readable(nullptr);
  }

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return wait(waiting, coro::stop_of(waiting));
  }
  void await_resume();

private:
  bool wait(std::coroutine_handle<> waiting, StopState* stop);
  void on_stop() noexcept override;
  void on_turn() noexcept override;

  Exchange& exchange_;
  Executor* executor_ = nullptr;
  std::coroutine_handle<> waiting_;
  coro::Context* context_ = nullptr;
  bool stopped_ = false;
};

}  // namespace http

// Reads all content into Request::body(). The first may be called only if body_complete(); the second pins the
// exchange, and must be called before user code has views into it.
std::expected<void, StreamError> read_complete_body(Exchange& exchange);
Task<std::expected<void, StreamError>> read_body(Exchange& exchange);

}  // namespace tern
