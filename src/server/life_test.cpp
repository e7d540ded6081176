// A server that cannot begin.
#include "server/server.hpp"

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

// Threads that are made while it lives have stacks for which there is no memory.
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
  Log::Options silent;
  silent.level = Severity::Off;
  Server server(service, {}, silent);
  ASSERT_TRUE(server.listen({.host = "127.0.0.1", .port = 0}, 3));
  {
    const NoThreads none;
    EXPECT_THROW(server.start(), std::system_error);
  }
  server.stop(Milliseconds(0));
  server.wait();
}

}  // namespace
}  // namespace tern::server
