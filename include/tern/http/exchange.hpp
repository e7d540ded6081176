// The seam between servers and applications: Exchange, one request and its answer, and Service, who answers.
#pragma once

#include <tern/base/arena.hpp>
#include <tern/base/duration.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/stop_token.hpp>
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

// What a route may change for itself.
struct Limits {
  std::size_t body = 10 * 1024 * 1024;  // bytes of content; past it 413
  // For an asynchronous handler, once it has the content: past it 503 and a close, while the handler is stopped and
  // goes on until it returns. Zero: as long as it takes.
  Milliseconds answer = Milliseconds(0);
  // HTTP/1.1: a client that ends its side of the connection after its request (FIN, or close_notify) still gets its
  // answer. Otherwise it counts as gone: a handler that waits is stopped, and its answer dropped.
  bool half_close = false;
};

// Why content could not be read to its end: a kind, and the answer that fits. Two of one kind are equal.
class StreamError {
public:
  enum Kind : std::uint8_t {
    Disconnected,  // the client has gone
    TooLarge,      // more than Limits::body (413)
    Malformed,     // broken framing (400), or trailers past a limit (431)
    TooSlow,       // below the least rate (408)
    Overloaded,    // no memory left for buffered content (503)
  };

  StreamError(Kind kind) noexcept;
  // Malformed content, where the protocol says what is wrong with it; `detail` is literal text.
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

// The answer that fits.
Problem to_problem(const StreamError& error);

struct Service;
class Exchange;

namespace http {
std::expected<bool, StreamError> collect(Exchange& exchange);
}
Task<std::expected<void, StreamError>> read_body(Exchange& exchange);

// One request and its answer. Outlives the socket and the handler; belongs to one loop. Servers implement the virtual
// part: an HTTP/1.1 connection, an HTTP/2 stream, or memory in tests.
class Exchange {
public:
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  Request& request() noexcept { return request_; }
  Arena& arena() noexcept { return arena_; }
  StopToken stop() noexcept { return StopToken(stop_); }

  // Which of the server's loops this is, from 0.
  std::size_t loop_index() const noexcept { return loop_index_; }

  // Who serves this exchange; set by the service itself.
  const Service& service() const noexcept { return *service_; }
  void served_by(const Service& service) noexcept { service_ = &service; }
  // How the service answers this request with an error.
  Response refuse(const Problem& problem) const noexcept;

  // Copies the head into the arena, and content that was read without a copy beside it, and points the request's views
  // there, so that they outlive this wake-up. Before any user code keeps a view across a suspension. Once is enough;
  // more does nothing.
  void pin();
  bool pinned() const noexcept { return pinned_; }

  // Before the first byte of content is read.
  virtual void limit(const Limits& limits) = 0;
  virtual const Limits& limits() const noexcept = 0;

  // Whether read() can be called until its end without waiting. True when there is no content.
  bool body_complete() const noexcept { return body_complete_; }

  // How many bytes of content the client has announced; 0 where it did not say, or there is none.
  std::uint64_t announced() const noexcept { return announced_; }

  // Whether read() has something to say now. The first call asks the client for the content (Expect: 100-continue).
  virtual bool readable() = 0;

  // Resumes `waiting` once, on the loop, when readable() has become true. One may wait at a time; a null
  // handle takes back the one that waits, whose coroutine is being destroyed.
  virtual void when_readable(std::coroutine_handle<> waiting) = 0;

  // The next piece of content, empty at its end. The view is valid until the caller suspends.
  virtual std::expected<std::string_view, StreamError> read() = 0;

  // Counts `bytes` more of buffered content against what all exchanges may hold together, until the exchange ends.
  // False when there is no more to be had.
  virtual bool charge(std::size_t bytes) = 0;

  // Sends an interim response (103 Early Hints) where the protocol has them.
  virtual void inform(Status status, const Fields& fields) = 0;

  // Writes a line into the server's error log. For what the client must not see.
  virtual void report(std::string_view message) = 0;

  // The client's address as text (an IP address without port, or "unix:"), valid as long as the exchange.
  virtual std::string_view remote() = 0;
  virtual std::uint16_t remote_port() = 0;
  // "http" or "https".
  virtual std::string_view scheme() = 0;
  // Null when the request did not come over TLS.
  virtual const TlsFacts* tls() = 0;

  // A string whose memory was used by an earlier response, empty: for rendering without the allocator.
  std::string take_scratch() noexcept { return std::exchange(scratch_, {}); }

protected:
  Exchange() noexcept : request_(*this) {}
  ~Exchange() = default;

  // Whether read_body() waits for content: what comes may be put behind collected_body() without being presented.
  bool collecting() const noexcept { return collecting_; }
  // Counts collected_body() as buffered content up to `size` bytes, what is counted already once. False when there is
  // no more to be had.
  bool charge_collected(std::size_t size);
  // Room for at least `size` bytes more in collected_body(), of which `come` have come, and for more of what is
  // announced as more of it has come.
  void make_room(std::size_t size, std::size_t come);

  // Makes it as good as new for the next request on the same loop, keeping small memory.
  void recycle() noexcept;
  void give_scratch(std::string used) noexcept;

  Request request_;
  StopState stop_;
  Arena arena_;  // after stop_: what lives in it may be registered there
  std::string scratch_;
  const Service* service_ = nullptr;
  std::size_t loop_index_ = 0;
  std::uint64_t announced_ = 0;
  bool body_complete_ = true;
  bool pinned_ = false;

private:
  friend std::expected<void, StreamError> read_complete_body(Exchange& exchange);
  friend Task<std::expected<void, StreamError>> read_body(Exchange& exchange);
  friend std::expected<bool, StreamError> http::collect(Exchange& exchange);

  bool collecting_ = false;
  std::size_t counted_ = 0;  // of collected_body()
};

// Who answers. Called by any loop at any time, therefore const.
struct Service {
  // Called at the end of the head. Never throws, and neither does the task of its reply.
  virtual Reply serve(Exchange& exchange) const noexcept = 0;

  // The answer to what never became a request (400, 408, 413, 431, …), or was given up.
  virtual Response refuse(const Problem& problem) const noexcept = 0;
  // The answer to `request` that an error makes.
  virtual Response refuse_request(const Problem& problem, const Request& request) const noexcept;

protected:
  ~Service() = default;
};

namespace http {

// A wait until Exchange::readable(). Ends with Cancelled when the coroutine is stopped, also when it was before.
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
  bool stopped_ = false;
};

}  // namespace http

// Reads the content to its end and makes it Request::body(). The first only when body_complete(); the second pins the
// exchange, so that it must come before user code has taken views.
std::expected<void, StreamError> read_complete_body(Exchange& exchange);
Task<std::expected<void, StreamError>> read_body(Exchange& exchange);

}  // namespace tern
