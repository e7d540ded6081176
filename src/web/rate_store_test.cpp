// RateLimit with a store that servers share; tests/redis has Redis as the store.
#include <tern/async.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tern::web {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns the set outcome after a wait.
class FakeRateStore final : public RateStore {
public:
  Task<RateOutcome> take(const RateRule& rule, std::string_view key, std::uint64_t cost) override {
    return answer("take " + std::string(rule.name) + ' ' + std::string(key) + ' ' + std::to_string(cost));
  }
  Task<RateOutcome> give_back(const RateRule&, std::string_view key, std::uint64_t cost) override {
    return answer("give back " + std::string(key) + ' ' + std::to_string(cost));
  }

  RateOutcome outcome{true, 7, 3'000'000'000, 0};
  bool away = false;
  std::vector<std::string> calls;

private:
  Task<RateOutcome> answer(std::string call) {
    calls.push_back(std::move(call));
    co_await sleep_for(Milliseconds(5));
    if (away) throw StoreError("away");
    co_return outcome;
  }
};

class SharedRateLimitTest : public ::testing::Test {
protected:
  testing::Client& serve(RateLimitOptions options = {}) {
    options.limit = 2;
    options.name = "shared";
    options.store = &store;
    app_.get("/", [this] { return Response(status); }).use(RateLimit(std::move(options)));
    return client_.emplace(app_);
  }

  FakeRateStore store;
  Status status = Status::Ok;

private:
  App app_;
  std::optional<testing::Client> client_;
};

TEST_F(SharedRateLimitTest, the_store_decides) {
  testing::Client& client = serve();
  const auto allowed = client.send({.target = "/", .remote = "192.0.2.1"});
  EXPECT_EQ(allowed.status, 200);
  EXPECT_EQ(allowed.field("ratelimit"), "\"shared\";r=7;t=3");
  store.outcome = {false, 0, 90'000'000'000, 20'500'000'000};
  const auto refused = client.send({.target = "/", .remote = "192.0.2.1"});
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.field("retry-after"), "21");
  EXPECT_EQ(refused.field("ratelimit"), "\"shared\";r=0;t=90");
  EXPECT_THAT(store.calls, ElementsAre("take shared 192.0.2.1 1", "take shared 192.0.2.1 1"));
}

TEST_F(SharedRateLimitTest, only_failures_count_there_too) {
  testing::Client& client =
      serve({.key = [](const Request&) { return std::string("ann"); }, .counts = RateCount::Failures});
  client.get("/");
  status = Status::Unauthorized;
  client.get("/");
  EXPECT_THAT(store.calls, ElementsAre("take shared ann 1", "give back ann 1", "take shared ann 1"));
}

TEST_F(SharedRateLimitTest, without_the_store_this_process_counts) {
  testing::Client& client = serve();
  store.away = true;
  EXPECT_EQ(client.get("/").field("ratelimit"), "\"shared\";r=1;t=30");
  EXPECT_EQ(client.get("/").status, 200);
  EXPECT_EQ(client.get("/").status, 429);
  store.away = false;
  EXPECT_EQ(client.get("/").status, 200);
}

TEST_F(SharedRateLimitTest, without_the_store_there_may_be_no_limit) {
  testing::Client& client = serve({.without_store = WithoutStore::Allow});
  store.away = true;
  for (int i = 0; i < 5; ++i) {
    const auto response = client.get("/");
    EXPECT_EQ(response.status, 200);
    EXPECT_FALSE(response.has("ratelimit"));
  }
}

TEST_F(SharedRateLimitTest, without_the_store_requests_may_be_refused) {
  testing::Client& client = serve({.without_store = WithoutStore::Refuse});
  store.away = true;
  const auto response = client.get("/");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.field("retry-after"), "1");
  EXPECT_EQ(response.field("content-type"), "application/problem+json");
  EXPECT_EQ(response.body.find("away"), std::string::npos);
}

TEST_F(SharedRateLimitTest, without_the_store_nothing_is_given_back_twice) {
  testing::Client& client = serve({.counts = RateCount::Failures});
  store.away = true;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.get("/").status, 200);
  EXPECT_EQ(store.calls.size(), 5U);  // what was taken in the process is given back there
}

TEST(SharedRateLimitSetup, a_shared_limit_has_a_name) {
  FakeRateStore store;
  try {
    RateLimit made({.store = &store});
    FAIL();
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a name of its own"));
  }
}

}  // namespace
}  // namespace tern::web
