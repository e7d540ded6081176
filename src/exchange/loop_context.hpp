// State shared by the connections and exchanges of one loop: the exchanges, the output, caches of heads, the access
// log.
#pragma once

#include "base/intrusive_list.hpp"
#include "exchange/connection.hpp"
#include "exchange/http_exchange.hpp"
#include "exchange/loop_counters.hpp"
#include "exchange/settings.hpp"
#include "net/loop.hpp"
#include "net/output.hpp"
#include "transport/secure_stream.hpp"
#include "websockets/hub.hpp"

#include <tern/base/box.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/work.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tern::exchange {

// The owner of a context. All calls come on the loop's thread.
class LoopOwner {
public:
  // A connection has closed; `was_full` if the server was at its limit.
  virtual void on_connection_closed(bool was_full) noexcept = 0;
  // An exchange or a WebSocket has ended.
  virtual void on_exchange_ended() noexcept = 0;
  // Schedules work that runs after a response.
  virtual void run_after_response(base::Box<coro::Work> work) noexcept = 0;

protected:
  ~LoopOwner() = default;
};

// Used on the loop's thread only.
class LoopContext {
public:
  // All parameters outlive the context.
  LoopContext(SharedState& shared, net::Loop& loop, std::size_t index, LoopOwner& owner);
  ~LoopContext();
  LoopContext(const LoopContext&) = delete;
  LoopContext& operator=(const LoopContext&) = delete;

  net::Loop& loop() noexcept { return loop_; }
  SharedState& shared() noexcept { return shared_; }
  const Settings& settings() const noexcept { return shared_.settings(); }

  // --- Connections ---

  // Opens one for an accepted socket. False if memory is exhausted; then the socket is closed.
  bool add_connection(net::Descriptor socket, const net::Address& remote, const transport::ConnectionConfig& config);
  bool has_connections() const noexcept { return !connections_.empty(); }
  // The connection has closed: destroys it.
  void remove(Connection& connection) noexcept;

  // Makes `connection` the writer of the shared output, and returns that. It has to be sent before the connection
  // returns to the loop. A handler may resume another one that waits on another connection: bytes written for the
  // previous writer are sent first, to their own peer.
  net::Output& begin_writing(Connection& connection) {
    if (writer_ != &connection && !output_.empty()) writer_->send(output_);
    writer_ = &connection;
    return output_;
  }
  // Drops the unsent output of `connection`.
  void discard_output(const Connection& connection) noexcept {
    if (writer_ == &connection) output_.clear();
  }
  transport::SecureBuffers& secure_buffers() noexcept { return secure_buffers_; }

  LoopCounters& counters() noexcept { return counters_; }
  const LoopCounters& counters() const noexcept { return counters_; }

  // --- Exchanges ---

  // Calls `f` with each exchange that is in use, the oldest first of those that were never reused.
  template <class F>
  void for_each_exchange(F&& f) const {
    for (const auto& exchange : all_exchanges_) f(*exchange);
  }
  HeldExchange take_exchange();  // throws std::bad_alloc
  void release(HttpExchange& exchange) noexcept;
  std::size_t exchanges_in_use() const noexcept { return exchanges_in_use_; }

  // --- Heads ---

  // Once per second: the Date of all responses.
  void set_time(std::int64_t unix_seconds);
  std::string_view date() const noexcept { return date_; }
  http1::CachedResponseHead& cached_response_head() noexcept { return cached_response_head_; }

  // --- WebSockets ---

  // Made on first use.
  websockets::WebSocketHub& sockets();
  bool has_sockets() const noexcept { return sockets_ && !sockets_->empty(); }

  // --- Memory ---

  // After memory for contents was taken: returns it to the system after a burst.
  void watch_memory() noexcept {
    if (shared_.memory.had_burst() && !trim_timer_.armed()) loop_.arm(trim_timer_, trim_period);
  }

  // --- The access log ---

  bool logs_access() const noexcept { return settings().access != AccessLog::Off; }
  // `nanoseconds`: since its begin.
  void log_access(HttpExchange& exchange, Status status, std::size_t bytes, std::uint64_t nanoseconds);
  // Whether the times of requests are needed.
  bool times_requests() const noexcept {
    return logs_access() || settings().observer != nullptr || settings().slow.count() != 0;
  }
  std::uint64_t next_number() noexcept { return ++last_number_; }
  static std::uint64_t nanoseconds() noexcept;
  // Hands the collected lines to the log.
  void flush_log();

  // --- Drain ---

  bool draining() const noexcept { return draining_; }
  // Drains every connection.
  void drain();
  // Aborts every connection, and stops the coroutines of WebSockets.
  void abort();
  // After the loop has ended: destroys exchanges and WebSockets that are left.
  void clear() noexcept;

private:
  static constexpr Milliseconds trim_period = Seconds(1);  // between checks whether a burst is over

  // Calls a member function of the context.
  template <void (LoopContext::*call)()>
  class ContextTimer final : public Timer {
  public:
    ContextTimer(LoopContext& context, const char* what) : context_(context), what_(what) {}
    ~ContextTimer() { context_.loop_.disarm(*this); }
    void on_timer() noexcept override { (context_.*call)(); }
    TimerPurpose purpose() const noexcept override { return {.what = what_}; }

  private:
    LoopContext& context_;
    const char* what_;
  };

  void trim_memory();
  // Whether a request has a line in the access log.
  bool samples_access(Status status, std::uint64_t nanoseconds) noexcept;

  SharedState& shared_;
  net::Loop& loop_;
  LoopCounters counters_;
  const std::size_t index_;
  LoopOwner& owner_;
  base::IntrusiveList<Connection> connections_;
  net::Output output_;
  Connection* writer_ = nullptr;  // of output_
  transport::SecureBuffers secure_buffers_;
  std::vector<std::unique_ptr<HttpExchange>> all_exchanges_;
  std::vector<HttpExchange*> free_exchanges_;  // with room for all
  std::size_t exchanges_in_use_ = 0;
  std::uint64_t last_number_ = 0;  // of a request
  std::string date_;
  http1::CachedResponseHead cached_response_head_;
  std::unique_ptr<websockets::WebSocketHub> sockets_;
  std::string log_time_;
  std::string log_lines_;
  unsigned skipped_accesses_ = 0;  // since the last line of the access log that was chosen
  ContextTimer<&LoopContext::flush_log> log_timer_{*this, "access log"};
  ContextTimer<&LoopContext::trim_memory> trim_timer_{*this, "memory"};
  bool draining_ = false;
};

inline void ReleaseExchange::operator()(HttpExchange* exchange) const noexcept {
  context->release(*exchange);
}

}  // namespace tern::exchange
