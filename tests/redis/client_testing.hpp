// For the tests of the client: coroutines on the first loop of an app, and servers that are not Redis.
#pragma once

#include "redis/redis_process.hpp"
#include "tern/running_app.hpp"

#include <tern/redis.hpp>
#include <tern/tern.hpp>

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <exception>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace tern::redis {

// The result or exception of the coroutine `work()`, run by the app's first loop.
template <class F>
auto on_loop(App& app, F work) {
  using Result = typename std::invoke_result_t<F&>::value_type;
  std::promise<Result> promise;
  app.spawn([&promise, &work]() -> Task<> {
    try {
      if constexpr (std::is_void_v<Result>) {
        co_await work();
        promise.set_value();
      } else {
        promise.set_value(co_await work());
      }
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  });
  return promise.get_future().get();
}

// What a RedisError says. (ThreadSanitizer does not see that libstdc++ counts the references of exceptions, so none is
// passed to another thread.)
struct Failure {
  RedisFault fault = RedisFault::Type;
  std::string code;
  std::string what;
};

// The RedisError of the coroutine `work()`.
template <class F>
std::optional<Failure> error_of(App& app, F work) {
  return on_loop(app, [&work]() -> Task<std::optional<Failure>> {
    try {
      co_await work();
    } catch (const RedisError& error) {
      co_return Failure{error.fault(), std::string(error.code()), error.what()};
    }
    co_return std::nullopt;
  });
}

// Whether the coroutine `work()` throws an E.
template <class E, class F>
bool throws(App& app, F work) {
  return on_loop(app, [&work]() -> Task<bool> {
    try {
      co_await work();
    } catch (const E&) {
      co_return true;
    }
    co_return false;
  });
}

// An app that has a real Redis. Skipped without redis-server.
class RealRedisTest : public RunningAppTest {
protected:
  void SetUp() override {
    if (!server.await()) GTEST_SKIP() << "redis-server is not installed";
  }
  RedisOptions options() const {
    return {.unix_path = server.socket, .timeout = Seconds(30), .retry = Milliseconds(20)};
  }
  template <class F>
  auto run(F work) {
    return on_loop(app, std::move(work));
  }

  testing::RedisProcess server;
};

// Accepts connections, and sends to each, as soon as it has received something: `greeting`, and then the rest.
class ScriptedServer {
public:
  ScriptedServer(std::string path, std::string greeting, std::string rest)
      : path_(std::move(path)), greeting_(std::move(greeting)), rest_(std::move(rest)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listening_, 16), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;
  ~ScriptedServer() {
    ::shutdown(listening_, SHUT_RDWR);
    thread_.join();
    ::close(listening_);
  }

private:
  void serve() const {
    for (int client; (client = ::accept(listening_, nullptr, nullptr)) >= 0; ::close(client)) {
      std::string part(4096, '\0');
      if (::recv(client, part.data(), part.size(), 0) <= 0) continue;
      ::send(client, greeting_.data(), greeting_.size(), MSG_NOSIGNAL);
      if (::recv(client, part.data(), part.size(), 0) <= 0) continue;
      ::send(client, rest_.data(), rest_.size(), MSG_NOSIGNAL);
      while (::recv(client, part.data(), part.size(), 0) > 0) {
      }
    }
  }

  const std::string path_;
  const std::string greeting_;
  const std::string rest_;
  int listening_ = -1;
  std::thread thread_;
};

}  // namespace tern::redis
