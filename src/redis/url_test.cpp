#include <tern/redis/options.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tern::redis {
namespace {

TEST(RedisUrl, names_host_port_user_password_and_database) {
  const RedisOptions all = RedisOptions::from_url("rediss://ann:p%40ss%3a%2F@cache.example:6390/3");
  EXPECT_EQ(all.host, "cache.example");
  EXPECT_EQ(all.port, 6390);
  EXPECT_EQ(all.username, "ann");
  EXPECT_EQ(all.password, "p@ss:/");
  EXPECT_EQ(all.database, 3U);
  EXPECT_TRUE(all.tls.enabled);
  const RedisOptions least = RedisOptions::from_url("redis://localhost");
  EXPECT_EQ(least.host, "localhost");
  EXPECT_EQ(least.port, 6379);
  EXPECT_EQ(least.username + least.password, "");
  EXPECT_FALSE(least.tls.enabled);
  EXPECT_EQ(RedisOptions::from_url("redis://:secret@[::1]:7/").password, "secret");
  EXPECT_EQ(RedisOptions::from_url("redis://:secret@[::1]:7/").host, "::1");
  EXPECT_EQ(RedisOptions::from_url("redis://:secret@[::1]:7/").port, 7);
  EXPECT_EQ(RedisOptions::from_url("redis://[::1]").port, 6379);
}

TEST(RedisUrl, what_is_none_is_refused_without_its_password) {
  for (const char* bad :
       {"", "localhost", "http://a", "redis://", "redis://:secret@", "redis://a:", "redis://:secret@a:0",
        "redis://:secret@a:65536", "redis://:secret@a:6379x", "redis://:secret@a/one", "redis://:secret@a/-1",
        "redis://:secret@a/1/2", "redis://:secret%4@a", "redis://:secret%zz@a", "redis://[::1", "redis://[::1]6379",
        "redis://:secret@a?db=1", "rediss://a#b"}) {
    try {
      RedisOptions::from_url(bad);
      ADD_FAILURE() << bad;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), ::testing::StartsWith("a URL of Redis: "));
      EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("secret")));
    }
  }
}

}  // namespace
}  // namespace tern::redis
