// One loop of a server: its listener, its connections and exchanges, its Date, its share of the log.
#pragma once

#include "net/listener.hpp"
#include "net/loop.hpp"
#include "net/output.hpp"
#include "server/connection.hpp"
#include "server/exchange.hpp"
#include "server/settings.hpp"

#include <tern/coro/executor.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tern::server {

class Worker final : private net::AcceptHandler, private Timer {
public:
  // `room_again` is called when a connection has closed while the server was full; from this worker's thread.
  Worker(Shared& shared, std::size_t index, base::Function<void()> room_again);
  ~Worker();

  // Before run(). False, with errno, when the kernel refuses to watch the socket.
  [[nodiscard]] bool listen(net::ListenSocket socket);
  // Serves until drained. The calling thread is the worker's.
  void run();

  // From any thread. Accepts what is waiting, closes the listener, lets the requests in flight end, and makes run()
  // return; after `timeout`, or a second call with a shorter one, what is left is aborted.
  void drain(Milliseconds timeout);
  // From any thread: there is room for connections again.
  void accept_again();

  net::Loop& loop() noexcept { return loop_; }
  Shared& shared() noexcept { return shared_; }
  bool draining() const noexcept { return draining_; }

  // For connections; on the loop's thread.
  // Where `connection` writes; empty again before it returns to the loop. A handler may resume one that is waiting on
  // another connection, whose answer comes in between: what was written before is sent first, each to its own peer.
  net::Output& output(Connection& connection) {
    if (writer_ != &connection && !output_.empty()) writer_->send(output_);
    writer_ = &connection;
    return output_;
  }
  std::string_view date() const noexcept { return date_; }
  HttpExchange& take_exchange();
  void release(HttpExchange& exchange) noexcept;
  void closed(Connection& connection) noexcept;
  bool logs_access() const noexcept { return shared_.settings.access != AccessFormat::Off; }
  void log_access(HttpExchange& exchange, Status status, std::size_t bytes);
  static std::uint64_t microseconds() noexcept;

  // Exchanges whose answer is being made, for tests.
  std::size_t exchanges_in_use() const noexcept { return all_exchanges_.size() - free_exchanges_.size(); }

private:
  class DrainTimer final : public Timer {
  public:
    explicit DrainTimer(Worker& worker) : worker_(worker) {}
    ~DrainTimer() { worker_.loop_.disarm(*this); }
    void on_timer() noexcept override { worker_.abort_all(); }

  private:
    Worker& worker_;
  };

  void on_accept(net::Descriptor socket, const net::Address& remote) override;
  void on_timer() noexcept override { flush_log(); }
  void on_second(std::int64_t unix_seconds);
  void begin_drain(Milliseconds timeout);
  void abort_all();
  void stop_when_empty();
  void flush_log();

  Shared& shared_;
  const std::size_t index_;
  base::Function<void()> room_again_;
  net::Loop loop_;
  net::Listener listener_;
  net::Output output_;
  Connection* writer_ = nullptr;  // whose bytes those are
  std::string date_;
  std::string log_time_;
  std::string log_lines_;
  DrainTimer drain_timer_{*this};
  Connection* connections_ = nullptr;
  std::vector<std::unique_ptr<HttpExchange>> all_exchanges_;
  std::vector<HttpExchange*> free_exchanges_;
  std::uint64_t drain_deadline_ = std::numeric_limits<std::uint64_t>::max();
  bool draining_ = false;
  bool aborting_ = false;
};

}  // namespace tern::server
