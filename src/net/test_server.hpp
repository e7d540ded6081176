// For the tests of this room: a loop in a thread of its own, a listener on it, and connections that tests shape by
// replacing their callbacks.
#pragma once

#include "net/listener.hpp"
#include "net/loop.hpp"
#include "net/output.hpp"
#include "net/stream.hpp"
#include "net/test_peer.hpp"

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <system_error>
#include <thread>

namespace tern::net {

// A loop that runs in a thread until it is destroyed.
class LoopThread {
public:
  LoopThread() : thread_([this] { loop.run(); }) {}
  ~LoopThread() { stop(); }

  void stop() {
    if (!thread_.joinable()) return;
    loop.stop();
    thread_.join();
  }

  // Runs `f` on the loop's thread and waits for what it returns.
  template <class F>
  auto on_loop(F f) {
    std::packaged_task<decltype(f())()> task(std::move(f));
    auto result = task.get_future();
    loop.post(std::move(task));
    return result.get();
  }

  Loop loop;

private:
  std::thread thread_;
};

// Echoes, unless told otherwise.
struct TestConnection final : StreamHandler {
  std::size_t on_bytes(std::span<const char> bytes) override {
    if (bytes_hook) return bytes_hook(*this, std::string_view(bytes.data(), bytes.size()));
    stream.send(std::string_view(bytes.data(), bytes.size()));
    return bytes.size();
  }
  void on_end() override {
    if (end_hook) return end_hook(*this);
    stream.shutdown_write();
    if (stream.unsent() == 0) stream.close();
  }
  void on_sent() override {
    if (sent_hook) return sent_hook(*this);
    if (stream.ended()) stream.close();
  }
  void on_closed(std::error_code why) override {
    ++times_closed;
    const auto hook = closed_hook;  // outlives this object, which it may delete
    if (hook) hook(*this, why);
  }

  Stream stream;
  int times_closed = 0;
  std::function<std::size_t(TestConnection&, std::string_view)> bytes_hook;
  std::function<void(TestConnection&)> end_hook;
  std::function<void(TestConnection&)> sent_hook;
  std::function<void(TestConnection&, std::error_code)> closed_hook;
};

// Accepts on a loop of its own; each connection deletes itself when it is closed.
class TestServer : AcceptHandler {
public:
  using Shape = std::function<void(TestConnection&)>;

  explicit TestServer(const ListenOptions& options = {.port = 0}, Shape shape = {}) : shape_(std::move(shape)) {
    auto sockets = listen(options);
    if (!sockets) {
      ADD_FAILURE() << sockets.error().message;
      return;
    }
    address = sockets->front().address;
    thread.on_loop([&] { EXPECT_TRUE(listener.open(loop(), std::move(sockets->front()), *this)); });
  }
  explicit TestServer(Shape shape) : TestServer({.port = 0}, std::move(shape)) {}

  ~TestServer() {
    thread.on_loop([this] {
      listener.close();
      for (auto& [key, connection] : connections) connection->stream.abort();
    });
    thread.stop();
    EXPECT_TRUE(connections.empty());
  }

  Loop& loop() { return thread.loop; }

  LoopThread thread;
  Listener listener;
  Address address;
  Address last_remote;
  std::map<TestConnection*, std::unique_ptr<TestConnection>> connections;  // the loop's thread only
  std::promise<std::error_code> first_closed;

private:
  void on_accept_paused(int) override {}
  void on_accept(Descriptor socket, const Address& remote) override {
    last_remote = remote;
    auto made = std::make_unique<TestConnection>();
    TestConnection& connection = *made;
    connections[&connection] = std::move(made);
    if (shape_) shape_(connection);
    connection.closed_hook = [this, before = connection.closed_hook](TestConnection& closed, std::error_code why) {
      if (before) before(closed, why);
      if (!std::exchange(any_closed_, true)) first_closed.set_value(why);
      connections.erase(&closed);
    };
    connection.stream.open(loop(), std::move(socket), connection, remote);
  }

  Shape shape_;
  bool any_closed_ = false;
};

}  // namespace tern::net
