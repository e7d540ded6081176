// One loop of a server: its listener, its connections and exchanges, its Date, its share of the log.
#pragma once

#include "net/listener.hpp"
#include "net/loop.hpp"
#include "net/output.hpp"
#include "server/connection.hpp"
#include "server/exchange.hpp"
#include "server/settings.hpp"
#include "server/websocket_hub.hpp"

#include <tern/coro/event.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/scope.hpp>
#include <tern/coro/work.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tern::server {

class Worker final : private Timer {
public:
  // Throws std::system_error as the loop does. Both functions are called on this worker's thread: `room_again` when a
  // connection has closed while the server was full, `quiet` once, when a drain has nothing left to wait for.
  Worker(Shared& shared, std::size_t index, base::Function<void()> room_again, base::Function<void()> quiet);
  ~Worker();

  // Before run(), for each listener, in the same order by all workers. With a context, it speaks TLS. False, with
  // errno, when the kernel refuses to watch the socket.
  [[nodiscard]] bool listen(net::ListenSocket socket, Manner manner);
  // Before run(): connections wait in the kernel's queue until open().
  void hold();
  // Serves until the loop is stopped. The calling thread is the worker's.
  void run();

  // From any thread.
  void open();
  // From any thread. Accepts what is waiting, closes the listener, and lets end, in this order: the requests in flight,
  // the work after their responses, and background tasks, which are stopped then. After `timeout`, or a second call
  // with a shorter one, all that is left is stopped and not waited for.
  void drain(Milliseconds timeout);
  // When the loop has ended: destroys what still waits there.
  void clear() noexcept;
  // From any thread: there is room for connections again.
  void accept_again();
  // From any thread: what the connections to come of a listener are given.
  void use(std::size_t listener, std::shared_ptr<const tls::Context> context);

  net::Loop& loop() noexcept { return loop_; }
  Shared& shared() noexcept { return shared_; }
  bool draining() const noexcept { return draining_; }
  // Stopped when a drain begins.
  StopState& drain_state() noexcept { return drain_state_; }
  // How much time is left of the drain.
  Milliseconds time_to_drain() const noexcept;

  // For connections; on the loop's thread.
  // Where `connection` writes; empty again before it returns to the loop. A handler may resume one that is waiting on
  // another connection, whose answer comes in between: what was written before is sent first, each to its own peer.
  net::Output& output(Connection& connection) {
    if (writer_ != &connection && !output_.empty()) writer_->send(output_);
    writer_ = &connection;
    return output_;
  }
  // Drops what `connection` has written and not sent.
  void discard_output(const Connection& connection) noexcept {
    if (writer_ == &connection) output_.clear();
  }
  SecureBuffers& secure_buffers() noexcept { return secure_buffers_; }
  std::string_view date() const noexcept { return date_; }
  http1::PlainHead& plain_head() noexcept { return plain_head_; }
  http1::KnownHeads& known_heads() noexcept { return known_heads_; }
  HeldExchange take_exchange();  // throws std::bad_alloc
  void release(HttpExchange& exchange) noexcept;
  void closed(Connection& connection) noexcept;
  // Memory for contents was taken: after a burst of that, it is given back to the system.
  void watch_memory() noexcept {
    if (shared_.memory.had_burst() && !trim_timer_.armed()) loop_.arm(trim_timer_, trim_period);
  }
  bool logs_access() const noexcept { return shared_.settings.access != AccessFormat::Off; }
  // What its WebSockets share, made when it is first asked for.
  WebSocketHub& sockets();
  // One of them has ended.
  void socket_gone() { go_on_draining(); }
  void log_access(HttpExchange& exchange, Status status, std::size_t bytes);
  static std::uint64_t microseconds() noexcept;

  // Exchanges whose answer is being made, for tests.
  std::size_t exchanges_in_use() const noexcept { return exchanges_in_use_; }

private:
  class DrainTimer final : public Timer {
  public:
    explicit DrainTimer(Worker& worker) : worker_(worker) {}
    ~DrainTimer() { worker_.loop_.disarm(*this); }
    void on_timer() noexcept override { worker_.abort_all(); }

  private:
    Worker& worker_;
  };

  static constexpr Milliseconds trim_period = Seconds(1);  // between looks at whether a burst is over
  class TrimTimer final : public Timer {
  public:
    explicit TrimTimer(Worker& worker) : worker_(worker) {}
    ~TrimTimer() { worker_.loop_.disarm(*this); }
    void on_timer() noexcept override { worker_.trim_memory(); }

  private:
    Worker& worker_;
  };

  // A listening socket of this loop, and what its connections are given.
  struct Door final : net::AcceptHandler {
    explicit Door(Worker& owner) : worker(owner) {}
    void on_accept(net::Descriptor socket, const net::Address& remote) override {
      worker.admit(std::move(socket), remote, manner);
    }
    void on_accept_paused(int error) override { worker.warn_of_pause(std::generic_category().message(error)); }
    Worker& worker;
    net::Listener listener;
    Manner manner;
  };

  void warn_of_pause(std::string_view why);
  void admit(net::Descriptor socket, const net::Address& remote, const Manner& manner);
  void on_timer() noexcept override { flush_log(); }
  void resume_accepting();
  void on_second(std::int64_t unix_seconds);
  void begin_drain(Milliseconds timeout);
  void abort_all();
  void go_on_draining();
  Task<> end_tasks();
  void be_quiet();
  void start_after(base::Box<coro::Work> work) noexcept;
  Task<> run_after(base::Box<coro::Work> work);
  void flush_log();
  void trim_memory() noexcept;

  Shared& shared_;
  const std::size_t index_;
  base::Function<void()> room_again_;
  base::Function<void()> on_quiet_;
  net::Loop loop_;
  std::vector<std::unique_ptr<Door>> doors_;
  net::Output output_;
  SecureBuffers secure_buffers_;
  Connection* writer_ = nullptr;  // whose bytes those are
  std::string date_;
  http1::PlainHead plain_head_;
  http1::KnownHeads known_heads_;
  std::string log_time_;
  std::string log_lines_;
  DrainTimer drain_timer_{*this};
  TrimTimer trim_timer_{*this};
  Connection* connections_ = nullptr;
  std::vector<std::unique_ptr<HttpExchange>> all_exchanges_;
  HttpExchange* free_exchange_ = nullptr;  // the first, linked
  std::size_t exchanges_in_use_ = 0;
  std::unique_ptr<WebSocketHub> sockets_;
  std::uint64_t drain_deadline_ = std::numeric_limits<std::uint64_t>::max();
  bool open_ = true;
  bool draining_ = false;
  bool aborting_ = false;
  bool quiet_ = false;
  StopState drain_state_;
  Event served_;  // all requests have ended, and no more will come
  Scope after_;   // work after responses
  Scope background_;
  Task<> ending_;
};

inline void ReleaseExchange::operator()(HttpExchange* exchange) const noexcept {
  worker->release(*exchange);
}

}  // namespace tern::server
