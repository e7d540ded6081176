// RedisBus without a Redis; tests/redis has one.
#include <tern/redis/bus.hpp>

#include "tern/running_app.hpp"

#include <tern/tern.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tern {
namespace {

using ::testing::HasSubstr;

// A port that accepts or refuses connections, and sends only what the test tells it to.
class SilentServer {
public:
  SilentServer() : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listening_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port = ntohs(address.sin_port);
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  ~SilentServer() { ::close(listening_); }

  void listen() const { EXPECT_EQ(::listen(listening_, 16), 0); }
  // Sends this to each connection first, until close() is called.
  void answer(const std::string& text) const {
    std::vector<int> connections;
    for (int connection; (connection = ::accept(listening_, nullptr, nullptr)) >= 0;
         connections.push_back(connection)) {
      ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    }
    for (const int connection : connections) ::close(connection);
  }
  void close() const { ::shutdown(listening_, SHUT_RDWR); }

  std::uint16_t port = 0;

private:
  const int listening_;
};

class RedisBusTest : public RunningAppTest {
protected:
  RedisOptions redis() const { return {.port = silent.port, .timeout = Milliseconds(50), .retry = Milliseconds(20)}; }
  Options logs_warnings() const {
    Options options = quiet();
    options.logging = {AccessLog::Off, {}, LogLevel::Warning, folder.path / "error"};
    return options;
  }
  std::string log() const { return content_of(folder.path / "error"); }
  void await_log(const std::string& part) const {
    while (log().find(part) == std::string::npos) std::this_thread::yield();
  }

  SilentServer silent;
};

TEST_F(RedisBusTest, options_that_cannot_be_meant_end_the_start) {
  RedisOptions no_prefix;
  no_prefix.prefix = "";
  RedisOptions no_password;
  no_password.username = "ann";
  for (const RedisOptions& options :
       {no_prefix, no_password, RedisOptions{.port = 0}, RedisOptions{.host = ""}, RedisOptions{.retry = Seconds(0)},
        RedisOptions{.unix_path = "/" + std::string(107, 'x')}, RedisOptions{.max_queued = 0}}) {
    App other;
    other.bus(RedisBus(options));
    EXPECT_THROW(other.start(quiet()), std::invalid_argument);
  }
}

TEST_F(RedisBusTest, an_app_that_never_starts_has_nothing_to_end) {
  app.bus(RedisBus(redis()));
  EXPECT_EQ(app.publish("a", "b"), PublishStatus::Dropped);
}

TEST_F(RedisBusTest, takes_nothing_before_its_start_and_after_its_end) {
  RedisBus bus(redis());
  EXPECT_EQ(bus.publish({"a", "b"}), PublishStatus::Dropped);
  EXPECT_EQ(bus.statistics().value().dropped, 1U);
  EXPECT_FALSE(bus.statistics().value().connected);
  RedisBus other = std::move(bus);
  other.end();
  EXPECT_EQ(other.publish({"a", "b"}), PublishStatus::Dropped);
}

TEST_F(RedisBusTest, the_app_is_served_without_redis_and_says_so_once) {
  app.bus(RedisBus(redis()));
  for (int i = 1; i <= 2; ++i) {
    app.start(logs_warnings());
    EXPECT_TRUE(get(app.port()).ends_with("Hello, World!"));
    EXPECT_EQ(app.publish("a", "b"), PublishStatus::Queued);
    app.spawn([this]() -> Task<> {
      co_await sleep_for(Milliseconds(100));  // a few attempts
      recorder.record("waited");
    });
    while (recorder.recorded().size() != static_cast<std::size_t>(i)) std::this_thread::yield();
    app.stop();
    const std::string logged = log();
    EXPECT_THAT(logged, HasSubstr("is not available (Connection refused)"));
    EXPECT_EQ(std::ranges::count(logged, '\n'), 2 * i) << logged;
    EXPECT_THAT(logged, HasSubstr("1 publication never reached Redis at"));
  }
}

TEST_F(RedisBusTest, who_says_nothing_is_not_waited_for_long) {
  silent.listen();
  app.bus(RedisBus(redis()));
  app.start(logs_warnings());
  await_log("is not available (no answer for 50 ms)");
}

TEST_F(RedisBusTest, a_start_that_waits_for_redis_can_be_stopped) {
  silent.listen();
  RedisOptions patient = redis();
  patient.timeout = Seconds(1000);
  app.bus(RedisBus(patient));
  std::thread stopping([this] {
    while (app.port() == 0) std::this_thread::yield();
    app.stop(false);
  });
  EXPECT_THAT(failure_of_start(), HasSubstr("stopped before it had started"));
  stopping.join();
}

TEST_F(RedisBusTest, who_speaks_another_protocol_is_left) {
  const std::string stranger = "what answers there is not Redis";
  const std::pair<std::string, std::string> cases[] = {
      {"HTTP/1.1 400 Bad Request\r\n\r\n", "Protocol error, got \"H\" as reply type byte"},
      {"+OK\r\n+OK\r\n+OK\r\n", stranger},
      {":1\r\n:1\r\n:1\r\n", stranger},
      {"*0\r\n", stranger},
      {"*-1\r\n", stranger},
      {"$-1\r\n", stranger},
      {"$2\r\nOK\r\n", stranger},
      {"*1000000000\r\n", stranger},
      {"*2\r\n$7\r\nmessage\r\n$1\r\na\r\n", stranger},
      {"*3\r\n:1\r\n:2\r\n:3\r\n", stranger},
      {"*3\r\n*3\r\n:1\r\n:2\r\n:3\r\n", stranger},
      {"*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:0\r\n", stranger},
      {"-ERR max number of clients reached\r\n", "ERR max number of clients reached"},
  };
  for (const auto& [text, fault] : cases) {
    const SilentServer there;
    there.listen();
    std::thread answering([&] { there.answer(text); });
    RedisOptions patient{.port = there.port, .timeout = Seconds(100), .retry = Milliseconds(20)};
    App asking;
    asking.bus(RedisBus(patient));
    asking.start(logs_warnings());
    await_log("Redis at 127.0.0.1:" + std::to_string(there.port) + " is not available (" + fault);
    asking.stop();
    there.close();
    answering.join();
  }
}

TEST_F(RedisBusTest, the_queue_is_bounded) {
  RedisOptions small = redis();
  small.max_queued = 1000;
  app.bus(RedisBus(small));
  app.start(logs_warnings());
  int queued = 0;
  while (app.publish("topic", "content") == PublishStatus::Queued) ++queued;
  EXPECT_GT(queued, 5);
  EXPECT_LT(queued, 20);
  EXPECT_EQ(app.publish("topic", std::string(2000, 'x')), PublishStatus::Dropped);
  await_log("the queue of publications to Redis is full: more are dropped");
}

TEST_F(RedisBusTest, names_are_looked_up) {
  RedisOptions named = redis();
  named.host = "localhost";
  app.bus(RedisBus(named));
  app.start(logs_warnings());
  await_log("Redis at localhost:" + std::to_string(silent.port) + " is not available (Connection refused)");
  app.stop();
}

TEST_F(RedisBusTest, many_threads_may_publish_while_it_starts_and_stops) {
  app.bus(RedisBus(redis()));
  for (int round = 0; round < 3; ++round) {
    std::atomic<bool> going = true;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        while (going) app.publish("topic", "content");
      });
    }
    app.start(quiet());
    app.stop();
    going = false;
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace tern
