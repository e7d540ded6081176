// One loop of a server: its acceptors, its connections and exchanges, its drain.
#pragma once

#include "exchange/loop_context.hpp"
#include "net/listener.hpp"
#include "net/loop.hpp"

#include <tern/base/function.hpp>
#include <tern/coro/event.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/scope.hpp>
#include <tern/coro/work.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tern::server {

class Worker final : private exchange::LoopOwner, private Timer {
public:
  // Throws std::system_error as the loop does. Both functions are called on this worker's thread: `room_again` when a
  // connection has closed while the server was full, `drained` once, when the drain is complete.
  Worker(exchange::SharedState& shared, std::size_t index, base::Function<void()> room_again,
         base::Function<void()> drained);
  ~Worker();

  // Before run(), for each listener, in the same order by all workers: on one socket, or on several if it has inherited
  // them. With a context, it speaks TLS. False, with errno, if the kernel refuses to watch a socket.
  [[nodiscard]] bool listen(std::vector<net::ListenSocket> sockets, transport::ConnectionConfig config);
  // Before run(): connections wait in the kernel's queue until open().
  void hold();
  // Serves until the loop is stopped. The calling thread is the worker's.
  void run();

  // From any thread.
  void open();
  // From any thread. Accepts the pending connections, closes the listener, and completes, in this order: the requests
  // in flight, the work after their responses, and background tasks, which are stopped. After `timeout`, or that of a
  // later call with a shorter one, everything left is stopped and destroyed.
  void drain(Milliseconds timeout);
  // After the loop has ended: destroys pending work.
  void clear() noexcept;
  // From any thread: there is room for connections again.
  void accept_again();
  // From any thread: the TLS context of a listener's future connections.
  void use(std::size_t listener, std::shared_ptr<const tls::Context> context);

  net::Loop& loop() noexcept { return loop_; }
  bool draining() const noexcept { return context_.draining(); }
  // Stopped when a drain begins.
  StopState& drain_state() noexcept { return drain_state_; }
  // The time left of the drain.
  Milliseconds time_to_drain() const noexcept;

  // For tests.
  exchange::LoopContext& context() noexcept { return context_; }

private:
  // Accepts the connections of one listener.
  struct Acceptor final : net::AcceptHandler {
    explicit Acceptor(Worker& owner) : worker(owner) {}
    void on_accept(net::Descriptor socket, const net::Address& remote) override {
      worker.admit(std::move(socket), remote, config);
    }
    void on_accept_paused(int error) override { worker.warn_of_pause(std::generic_category().message(error)); }
    Worker& worker;
    std::vector<std::unique_ptr<net::Listener>> listeners;
    transport::ConnectionConfig config;
  };

  void on_connection_closed(bool was_full) noexcept override;
  void on_exchange_ended() noexcept override { check_drained(); }
  void run_after_response(base::Box<coro::Work> work) noexcept override;
  void on_timer() noexcept override { abort_all(); }
  TimerPurpose purpose() const noexcept override { return {.what = "drain"}; }

  // Calls f(net::Listener&) for each.
  template <class F>
  void for_each_listener(F&& f) {
    for (const auto& acceptor : acceptors_) {
      for (const auto& listener : acceptor->listeners) f(*listener);
    }
  }
  void warn_of_pause(std::string_view why);
  void admit(net::Descriptor socket, const net::Address& remote, const transport::ConnectionConfig& config);
  void resume_accepting();
  void begin_drain(Milliseconds timeout);
  void abort_all();
  void check_drained();
  void finish_drain();
  Task<> end_tasks();
  Task<> run_after(base::Box<coro::Work> work);

  exchange::SharedState& shared_;
  base::Function<void()> room_again_;
  base::Function<void()> on_drained_;
  net::Loop loop_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;  // connections refer to their configurations
  exchange::LoopContext context_;
  std::uint64_t drain_deadline_ = std::numeric_limits<std::uint64_t>::max();
  bool open_ = true;
  bool aborting_ = false;
  bool drained_ = false;
  StopState drain_state_;
  Event served_;  // all requests have ended, and no more will come
  Scope after_;   // work after responses
  Scope background_;
  Task<> ending_;  // made with the worker, so that a drain needs no memory
};

}  // namespace tern::server
