// For tests: a server in this process on its own port, and a gate at which handlers wait.
#pragma once

#include "server/client.hpp"
#include "server/server.hpp"

#include <tern/coro/executor.hpp>
#include <tern/http/exchange.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tern::testing {

inline LogOptions silent() {
  LogOptions options;
  options.level = LogLevel::Off;
  return options;
}

inline transport::ListenerConfig on_any_port() {
  transport::ListenerConfig listening{.address = {.host = "127.0.0.1", .port = 0}};
  if (tls_under_test()) listening.tls = test_certificate();
  return listening;
}

class RunningServer {
public:
  explicit RunningServer(const Service& service, exchange::Settings settings = {}, unsigned loops = 1,
                         const LogOptions& log = silent(),
                         const std::vector<transport::ListenerConfig>& listeners = {on_any_port()})
      : server_(service, std::move(settings), log) {
    const auto listening = server_.listen(listeners, loops);
    if (!listening) ADD_FAILURE() << listening.error().message;
    server_.start();
  }

  std::uint16_t port() const { return server_.port(); }
  HttpClient client(int receive_buffer = 0) const { return HttpClient(port(), receive_buffer); }
  server::Server& server() { return server_; }
  server::Worker& worker(std::size_t index = 0) { return *server_.workers()[index]; }
  const net::Counters& counters(std::size_t index = 0) { return worker(index).loop().counters(); }

  void drain(Milliseconds timeout = Seconds(20)) { server_.stop(timeout); }
  void wait() { server_.wait(); }

  // Runs `f` on the loop's thread, as posted work.
  template <class F>
  auto on_loop(F f, std::size_t index = 0) {
    std::packaged_task<decltype(f())()> task(std::move(f));
    auto result = task.get_future();
    worker(index).loop().post(std::move(task));
    return result.get();
  }
  // Waits until the loop has reached a condition.
  template <class F>
  bool eventually(F condition, std::size_t index = 0) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!on_loop(condition, index)) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

private:
  server::Server server_;
};

// Handlers co_await pass(); the test waits for a number of them, and opens the gate. Opening releases those that wait
// at that moment.
class Gate {
public:
  class Pass {
  public:
    explicit Pass(Gate& gate) : gate_(gate) {}
    ~Pass() { gate_.forget(this); }
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      handle_ = handle;
      executor_ = Executor::current();
      gate_.add(this);
    }
    void await_resume() const noexcept {}

  private:
    friend class Gate;
    Gate& gate_;
    std::coroutine_handle<> handle_;
    Executor* executor_ = nullptr;
  };

  Pass pass() { return Pass(*this); }

  // Blocks until this many handlers wait.
  bool await(std::size_t count = 1) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return waiting_.size() >= count; });
  }
  // Blocks until at most this many wait.
  bool await_at_most(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return waiting_.size() <= count; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    for (Pass* pass : std::exchange(waiting_, {})) {
      pass->executor_->post([handle = pass->handle_] { handle.resume(); });
    }
  }
  // On the loop's thread: resumes them directly.
  void open_here() {
    std::vector<Pass*> passing;
    {
      const std::lock_guard lock(mutex_);
      passing = std::exchange(waiting_, {});
    }
    for (Pass* pass : passing) pass->handle_.resume();
  }

private:
  void add(Pass* pass) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(pass);
    }
    changed_.notify_all();
  }
  void forget(Pass* pass) {
    {
      const std::lock_guard lock(mutex_);
      std::erase(waiting_, pass);
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Pass*> waiting_;
};

}  // namespace tern::testing
