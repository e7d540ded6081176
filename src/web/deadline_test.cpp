#include <tern/web/deadline.hpp>

#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern::web {
namespace {

TEST(DeadlineText, is_a_number_with_or_without_a_unit) {
  EXPECT_EQ(parse_timeout("250ms"), Milliseconds(250));
  EXPECT_EQ(parse_timeout("1.5s"), Milliseconds(1500));
  EXPECT_EQ(parse_timeout("2"), Seconds(2));
  EXPECT_EQ(parse_timeout("0.0001"), Milliseconds(1));
  for (const char* text : {"", "s", "ms", "-1", "1e3", "1 s", "inf", "1.2.3", "86401", "1m"}) {
    EXPECT_EQ(parse_timeout(text), std::nullopt) << text;
  }
}

TEST(DeadlineText, of_grpc_has_a_unit) {
  EXPECT_EQ(parse_grpc_timeout("250m"), Milliseconds(250));
  EXPECT_EQ(parse_grpc_timeout("2S"), Seconds(2));
  EXPECT_EQ(parse_grpc_timeout("1M"), Seconds(60));
  EXPECT_EQ(parse_grpc_timeout("1u"), Milliseconds(1));
  EXPECT_EQ(parse_grpc_timeout("99999999H"), Seconds(86'400));
  for (const char* text : {"", "S", "2", "2s", "-2S", "123456789S", "1.5S"}) {
    EXPECT_EQ(parse_grpc_timeout(text), std::nullopt) << text;
  }
}

class DeadlineTest : public ::testing::Test {
protected:
  void serve(DeadlineOptions options = {}) {
    app.use(Deadline(std::move(options)));
    app.get("/wait/{ms}", [this](Request& request, std::int64_t ms) -> Task<std::string> {
      left = time_left(request);
      try {
        co_await sleep_for(Milliseconds(ms));
      } catch (const Cancelled&) {
        stopped = true;
        throw;
      }
      co_return "done";
    });
  }
  testing::TestResponse get(const std::string& path, const std::string& timeout,
                            const std::string& field = "X-Request-Timeout") {
    testing::TestRequest request{.target = path};
    if (!field.empty()) request.fields = {{field, timeout}};
    return testing::Client(app).send(request);
  }

  App app;
  std::optional<Milliseconds> left;
  bool stopped = false;
};

TEST_F(DeadlineTest, stops_the_handler) {
  serve();
  EXPECT_EQ(get("/wait/5000", "250ms").status, 504);
  EXPECT_TRUE(stopped);
  EXPECT_EQ(left, Milliseconds(250));
}

TEST_F(DeadlineTest, is_met_by_a_handler_that_is_faster) {
  serve();
  EXPECT_EQ(get("/wait/50", "1").body, "done");
  EXPECT_FALSE(stopped);
}

TEST_F(DeadlineTest, has_bounds) {
  serve({.min = Milliseconds(20), .max = Milliseconds(100)});
  EXPECT_EQ(get("/wait/0", "10ms").status, 504);
  EXPECT_EQ(left, std::nullopt) << "the handler was called";
  EXPECT_EQ(get("/wait/200", "3600").status, 504);
  EXPECT_EQ(left, Milliseconds(100));
}

TEST_F(DeadlineTest, that_is_no_time_is_refused) {
  serve();
  EXPECT_EQ(get("/wait/0", "soon").status, 400);
}

TEST_F(DeadlineTest, may_come_from_the_field_of_grpc_or_from_the_server) {
  serve({.grpc_timeout = true, .otherwise = Milliseconds(300)});
  EXPECT_EQ(get("/wait/5000", "100m", "grpc-timeout").status, 504);
  EXPECT_EQ(left, Milliseconds(100));
  EXPECT_EQ(get("/wait/5000", "", "").status, 504);
  EXPECT_EQ(left, Milliseconds(300));
}

TEST_F(DeadlineTest, is_not_there_without_a_field) {
  serve();
  EXPECT_EQ(get("/wait/5000", "", "").body, "done");
  EXPECT_EQ(left, std::nullopt);
}

TEST(Deadline, with_a_mistake_is_refused) {
  EXPECT_THROW(Deadline({.max = Milliseconds(1)}), SetupError);
}

}  // namespace
}  // namespace tern::web
