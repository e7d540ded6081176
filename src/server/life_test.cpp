// A server that fails to start.
#include "server/server.hpp"

#include <tern/coro/cancelled.hpp>

#include <gtest/gtest.h>

#include <pthread.h>
#include <cstddef>
#include <system_error>

namespace tern::server {
namespace {

struct NoService final : Service {
  Reply serve(Exchange&) const noexcept override { return Response(); }
  Response refuse(const Problem&) const noexcept override { return Response(); }
};

// While it lives, no stack can be allocated for new threads.
class NoThreads {
public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 47U);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

private:
  pthread_attr_t before_{};
};

TEST(Server, without_threads_does_not_start_and_leaves_nothing_behind) {
  const NoService service;
  LogOptions silent;
  silent.level = LogLevel::Off;
  Server server(service, {}, silent);
  ASSERT_TRUE(server.listen({{{.host = "127.0.0.1", .port = 0}}}, 3));
  {
    const NoThreads none;
    EXPECT_THROW(server.start(), std::system_error);
  }
  server.stop(Milliseconds(0));
  server.wait();
}

TEST(Server, that_is_stopped_before_it_starts_runs_no_hook) {
  const NoService service;
  LogOptions silent;
  silent.level = LogLevel::Off;
  Server server(service, {}, silent);
  ASSERT_TRUE(server.listen({{{.host = "127.0.0.1", .port = 0}}}, 2));
  server.stop(Seconds(20));
  int hooks = 0;
  bool ended = false;
  const auto hook = [&hooks]() -> Task<> {
    ++hooks;
    co_return;
  };
  server.start({.on_start = hook, .on_stop = hook, .on_ended = [&ended] { ended = true; }});
  EXPECT_THROW(server.await_start(), Cancelled);
  server.wait();
  EXPECT_EQ(hooks, 0);
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace tern::server
