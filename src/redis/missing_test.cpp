#include <tern/redis/bus.hpp>
#include <tern/tern.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tern {
namespace {

TEST(RedisMissing, is_said_at_the_start) {
  App app;
  app.bus(RedisBus());
  try {
    app.start({.port = 0, .log = {.level = LogLevel::Off}});
    FAIL() << "it has started";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "this library was built without Redis (TERN_REDIS)");
  }
  EXPECT_EQ(app.publish("a", "b"), PublishStatus::Dropped);
}

}  // namespace
}  // namespace tern
