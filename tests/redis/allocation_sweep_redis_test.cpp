// Every allocation of a loop with a RedisBus fails in turn. The session with Redis may be lost, and is made again.
#include "server/failing_allocator.hpp"

#include <tern/redis.hpp>
#include <tern/tern.hpp>

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>

namespace tern::testing {
namespace {

// A Redis of its own, on a Unix socket in a temporary folder.
class RedisServer {
public:
  RedisServer() {
    std::string folder = "/tmp/tern-test-XXXXXX";
    folder_ = ::mkdtemp(folder.data());
    socket = folder_ + "/socket";
    process_ = ::fork();
    if (process_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // also when the test aborts
    ::execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", socket.c_str(), "--save", "", "--dir",
             folder_.c_str(), "--logfile", "log", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer() {
    if (!ended()) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  // False where there is no Redis.
  bool await() {
    while (!ended()) {
      if (accepts()) return true;
      std::this_thread::yield();
    }
    return false;
  }

  std::string socket;

private:
  bool ended() {
    if (!ended_) ended_ = ::waitpid(process_, nullptr, WNOHANG) == process_;
    return ended_;
  }
  bool accepts() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket.copy(address.sun_path, sizeof address.sun_path - 1);
    const int client = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool connected = ::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(client);
    return connected;
  }

  std::string folder_;
  pid_t process_ = -1;
  bool ended_ = false;
};

// Publishing and stop.
void publish_and_stop(const std::string& socket, std::int64_t n) {
  App app;
  app.bus(RedisBus({.unix_path = socket, .ping = Milliseconds(5), .retry = Milliseconds(1)}));
  app.on_start([] { allocations_of_this_thread_may_fail(); });
  Options options;
  options.port = 0;
  options.threads = 1;
  options.logging.level = LogLevel::Off;
  app.start(options);
  const auto publish = [&app] { return app.publish("topic", std::string(5000, 'x')); };
  while (publish() != PublishStatus::Sent) std::this_thread::yield();
  fail_allocation(n);
  for (int i = 0; i < 40; ++i) publish();
  while (publish() != PublishStatus::Sent) std::this_thread::yield();  // joined, or joined again
  app.stop();
}

TEST(AllocationSweepRedis, a_lost_session_is_made_again) {
  RedisServer redis;
  if (!redis.await()) GTEST_SKIP() << "redis-server is not installed";
  bool failed = true;
  std::int64_t n = 1;
  for (; failed && n < 400; ++n) {
    SCOPED_TRACE(n);
    publish_and_stop(redis.socket, n);
    failed = stop_failing();
  }
  EXPECT_FALSE(failed) << "the loop does not come to its end";
  EXPECT_GT(n, 2);
}

}  // namespace
}  // namespace tern::testing
