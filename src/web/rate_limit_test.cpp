#include "web/rate_table.hpp"

#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace tern::web {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using testing::TestRequest;
using testing::TestResponse;

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::uint64_t start = 1000 * second;

// --- The table ---

TEST(RateTable, gives_a_burst_and_then_the_rate) {
  RateTable table(10, 3, second);
  for (std::uint64_t left : {2U, 1U, 0U}) {
    const auto outcome = table.take("a", 1, start);
    EXPECT_TRUE(outcome.allowed);
    EXPECT_EQ(outcome.remaining, left);
  }
  const auto refused = table.take("a", 1, start + second / 2);
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.remaining, 0U);
  EXPECT_EQ(refused.allowed_in, second / 2);
  EXPECT_EQ(refused.full_in, 5 * second / 2);
  EXPECT_TRUE(table.take("a", 1, start + second).allowed);
  EXPECT_FALSE(table.take("a", 1, start + second).allowed);
}

TEST(RateTable, a_refusal_costs_nothing) {
  RateTable table(10, 1, second);
  EXPECT_TRUE(table.take("a", 1, start).allowed);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(table.take("a", 1, start + second - 1).allowed);
  EXPECT_TRUE(table.take("a", 1, start + second).allowed);
}

TEST(RateTable, a_full_bucket_holds_its_capacity_and_no_more) {
  RateTable table(10, 5, second);
  EXPECT_TRUE(table.take("a", 1, start).allowed);
  int allowed = 0;
  for (int i = 0; i < 20; ++i) allowed += table.take("a", 1, start + 1000 * second).allowed ? 1 : 0;
  EXPECT_EQ(allowed, 5);
}

TEST(RateTable, costs_are_taken_whole_or_not_at_all) {
  RateTable table(10, 10, second);
  EXPECT_TRUE(table.take("a", 7, start).allowed);
  const auto refused = table.take("a", 4, start);
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.allowed_in, second);
  EXPECT_TRUE(table.take("a", 3, start).allowed);
  for (const std::uint64_t cost : {std::uint64_t{11}, UINT64_MAX / 2, UINT64_MAX}) {
    EXPECT_FALSE(table.take("b", cost, start).allowed) << cost;
  }
  EXPECT_TRUE(table.take("b", 10, start).allowed);
}

TEST(RateTable, what_is_given_back_can_be_taken_again) {
  RateTable table(10, 2, second);
  EXPECT_TRUE(table.take("a", 2, start).allowed);
  EXPECT_EQ(table.give_back("a", 1, start).remaining, 1U);
  EXPECT_TRUE(table.take("a", 1, start).allowed);
  EXPECT_EQ(table.give_back("a", 100, start).remaining, 2U);
  EXPECT_EQ(table.give_back("never seen", 1, start).remaining, 2U);
}

// A success that takes long must not pay for a guess.
TEST(RateTable, what_time_has_returned_is_not_given_back_again) {
  RateTable table(10, 2, second);
  const auto success = table.take("a", 1, start);
  EXPECT_EQ(not_returned_of(success, 0), second);
  EXPECT_EQ(not_returned_of(success, second / 4), 3 * second / 4);
  EXPECT_EQ(not_returned_of(success, 5 * second), 0U);
  // The bucket is full again, and two guesses empty it before the success ends.
  EXPECT_TRUE(table.take("a", 2, start + second).allowed);
  EXPECT_EQ(table.give_back("a", 1, start + second, not_returned_of(success, second)).remaining, 0U);
  EXPECT_FALSE(table.take("a", 1, start + second).allowed);
  // A quick one gets its token back.
  const auto quick = table.take("b", 1, start);
  EXPECT_EQ(table.give_back("b", 1, start + 1, not_returned_of(quick, 1)).remaining, 2U);
}

// The clock is a steady one; another that jumps would give no token twice either.
TEST(RateTable, a_clock_that_goes_back_gives_nothing) {
  RateTable table(10, 2, second);
  EXPECT_TRUE(table.take("a", 2, start).allowed);
  EXPECT_FALSE(table.take("a", 1, start - 900 * second).allowed);
  EXPECT_FALSE(table.take("a", 1, start).allowed);
  EXPECT_TRUE(table.take("a", 1, start + second).allowed);
  EXPECT_FALSE(table.take("a", 1, start + second).allowed);
  EXPECT_TRUE(table.take("b", 2, start - 900 * second).allowed);
  EXPECT_TRUE(table.take("b", 2, start + 900 * second).allowed);
  EXPECT_FALSE(table.take("b", 1, start + 900 * second).allowed);
}

TEST(RateTable, keys_do_not_share) {
  RateTable table(100'000, 1, second);
  int allowed = 0;
  for (int i = 0; i < 1000; ++i) allowed += table.take(std::to_string(i), 1, start).allowed ? 1 : 0;
  EXPECT_EQ(allowed, 1000);
  EXPECT_FALSE(table.take("999", 1, start).allowed);
}

TEST(RateTable, a_flood_of_keys_takes_no_more_places) {
  RateTable table(100, 1, 3600 * second);
  const std::size_t places = table.places();
  EXPECT_LE(places, 102U);
  for (int i = 0; i < 100'000; ++i) EXPECT_TRUE(table.take(std::to_string(i), 1, start).allowed);
  EXPECT_EQ(table.places(), places);
}

TEST(RateTable, a_place_that_is_full_again_is_reused_first) {
  RateTable table(3, 10, second);  // one set
  EXPECT_TRUE(table.take("busy", 10, start).allowed);
  EXPECT_TRUE(table.take("busier", 10, start).allowed);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(table.take("visitor " + std::to_string(i), 1, start).allowed);
  EXPECT_FALSE(table.take("busy", 1, start).allowed);
  EXPECT_FALSE(table.take("busier", 1, start).allowed);
}

TEST(RateTable, threads_share_one_limit_exactly) {
  RateTable table(1000, 1000, 3600 * second);
  std::atomic<int> allowed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) allowed += table.take("a", 1, start).allowed ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allowed.load(), 1000);
}

// --- The middleware ---

class RateLimitTest : public ::testing::Test {
protected:
  Client& serve(RateLimitOptions options) {
    app_.get("/", [] { return "hello"; }).use(RateLimit(std::move(options)));
    app_.get("/free", [] { return "hello"; });
    return client_.emplace(app_);
  }
  static TestResponse from(Client& client, const std::string& address) {
    return client.send({.target = "/", .remote = address});
  }

  App app_;
  std::optional<Client> client_;
};

TEST_F(RateLimitTest, refuses_beyond_the_limit_and_says_when_to_come_back) {
  Client& client = serve({.limit = 2, .window = Seconds(3600)});
  const TestResponse first = client.get("/");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.field("ratelimit-policy"), "\"default\";q=2;w=3600");
  EXPECT_EQ(first.field("ratelimit"), "\"default\";r=1;t=1800");
  EXPECT_EQ(client.get("/").field("ratelimit"), "\"default\";r=0;t=3600");
  const TestResponse refused = client.get("/");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.field("content-type"), "application/problem+json");
  EXPECT_EQ(refused.field("retry-after"), "1800");
  EXPECT_EQ(refused.field("ratelimit"), "\"default\";r=0;t=3600");
  EXPECT_EQ(client.get("/free").status, 200);
}

TEST_F(RateLimitTest, counts_addresses_and_ipv6_networks) {
  Client& client = serve({.limit = 1, .window = Seconds(3600)});
  EXPECT_EQ(from(client, "192.0.2.1").status, 200);
  EXPECT_EQ(from(client, "192.0.2.2").status, 200);
  EXPECT_EQ(from(client, "192.0.2.1").status, 429);
  EXPECT_EQ(from(client, "2001:db8:1:2::1").status, 200);
  EXPECT_EQ(from(client, "2001:db8:1:2:ffff::9").status, 429);
  EXPECT_EQ(from(client, "2001:db8:1:3::1").status, 200);
  EXPECT_EQ(from(client, "::ffff:192.0.2.7").status, 200);
  EXPECT_EQ(from(client, "::ffff:192.0.2.8").status, 200);
}

TEST_F(RateLimitTest, the_key_and_the_cost_may_be_functions) {
  Client& client =
      serve({.limit = 10,
             .window = Seconds(3600),
             .key = [](const Request& request) { return std::string(request.field("x-key").value_or("")); },
             .cost = [](const Request& request) -> std::size_t { return request.query() == "free" ? 0 : 4; }});
  const auto ask = [&client](const std::string& key, const std::string& target = "/") {
    return client.send({.target = target, .fields = {{"x-key", key}}});
  };
  EXPECT_EQ(ask("a").field("ratelimit"), "\"default\";r=6;t=1440");
  EXPECT_EQ(ask("a").status, 200);
  EXPECT_EQ(ask("a").status, 429);
  EXPECT_EQ(ask("b").status, 200);
  EXPECT_EQ(ask("a", "/?free").status, 200);
  EXPECT_FALSE(ask("").has("ratelimit"));  // no key, no limit
}

TEST(RateLimitFailures, only_failures_count) {
  App app;
  app.get("/login",
          [](Request& request) {
            return Response(request.field("x-password") == "right" ? Status::Ok : Status::Unauthorized);
          })
      .use(RateLimit({.limit = 3, .window = Seconds(3600), .counts = RateCount::Failures}));
  Client client(app);
  const auto log_in = [&client](const std::string& password) {
    return client.send({.target = "/login", .fields = {{"x-password", password}}});
  };
  for (int i = 0; i < 10; ++i) EXPECT_EQ(log_in("right").status, 200);
  EXPECT_EQ(log_in("right").field("ratelimit"), "\"default\";r=3;t=0");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(log_in("wrong").status, 401);
  EXPECT_EQ(log_in("right").status, 429);  // also the right one: it could be the result of guessing
}

TEST(RateLimitGroup, is_one_limit_for_all_routes) {
  App app;
  Group api = app.group("/api").use(RateLimit({.limit = 2, .window = Seconds(3600)}));
  api.get("/a", [] { return "a"; });
  api.get("/b", [] { return "b"; });
  Client client(app);
  EXPECT_EQ(client.get("/api/a").status, 200);
  EXPECT_EQ(client.get("/api/missing").status, 404);
  EXPECT_EQ(client.get("/api/b").status, 429);
}

TEST(RateLimitSetup, errors_name_the_option) {
  const auto fault = [](RateLimitOptions options) -> std::string {
    try {
      RateLimit made(std::move(options));
    } catch (const SetupError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(fault({.limit = 0}), HasSubstr("limit is from 1"));
  EXPECT_THAT(fault({.limit = 1'000'001}), HasSubstr("limit is from 1"));
  EXPECT_THAT(fault({.window = Seconds(0)}), HasSubstr("window is from"));
  EXPECT_THAT(fault({.window = Seconds(86'401)}), HasSubstr("window is from"));
  EXPECT_THAT(fault({.name = "a\"b"}), HasSubstr("name has"));
  EXPECT_THAT(fault({.max_keys = 0}), HasSubstr("max_keys"));
  EXPECT_EQ(fault({.limit = 1'000'000, .window = Seconds(1)}), "");
}

}  // namespace
}  // namespace tern::web
