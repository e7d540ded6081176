// Health checks: what they may be, when they run, and what the three questions answer.
#include <tern/observe.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestResponse;

class HealthTest : public ::testing::Test {
protected:
  TestResponse ask(Client& client, const char* path) { return client.at_listener("admin").get(path); }

  App app;
  AdminAddress admin = app.admin({.port = 0});
};

TEST_F(HealthTest, passes_without_checks) {
  Client client(app);
  client.start();
  for (const char* const path : {"/livez", "/readyz", "/startupz"}) {
    const TestResponse answer = ask(client, path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.field("content-type"), "application/health+json");
    EXPECT_THAT(answer.body, HasSubstr(R"("status":"pass")"));
  }
}

TEST_F(HealthTest, takes_functions_and_coroutines_that_return_or_throw) {
  bool works = true;
  admin.check("nothing", [] {});
  admin.check("throws", [&works] {
    if (!works) throw std::runtime_error("no disk");
  });
  admin.check("bool", [&works] { return works; });
  admin.check("task", [&works]() -> Task<> {
    co_await yield();
    if (!works) throw std::runtime_error("no network");
  });
  admin.check("task of bool", [&works]() -> Task<bool> { co_return works; });
  Client client(app);
  client.start().advance(Milliseconds(1));
  EXPECT_EQ(ask(client, "/readyz").status, 200);
  works = false;
  client.advance(Seconds(11));
  const TestResponse answer = ask(client, "/readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr(R"("status":"fail")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("throws":[{"status":"fail")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("output":"no disk")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("output":"no network")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("output":"the check returned false")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("nothing":[{"status":"pass")"));
  EXPECT_EQ(ask(client, "/livez").status, 200);     // it serves
  EXPECT_EQ(ask(client, "/startupz").status, 200);  // each has passed once
  works = true;
  client.advance(Seconds(11));
  EXPECT_EQ(ask(client, "/readyz").status, 200);
}

TEST_F(HealthTest, keeps_results_and_runs_again_after_its_interval) {
  int runs = 0;
  admin.check("counted", [&runs] { ++runs; }, {.every = Seconds(30)});
  Client client(app);
  EXPECT_EQ(ask(client, "/readyz").status, 503);  // not started
  EXPECT_THAT(ask(client, "/readyz").body, HasSubstr("it has not run yet"));
  client.start();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ask(client, "/readyz").status, 200);
  EXPECT_EQ(runs, 1);
  client.advance(Seconds(29));
  EXPECT_EQ(runs, 1);
  client.advance(Seconds(2));
  EXPECT_EQ(runs, 2);
}

TEST_F(HealthTest, waits_for_the_first_success_of_each_critical_check) {
  int runs = 0;
  admin.check("slow to come", [&runs] { return ++runs > 3; }, {.every = Seconds(60)});
  Client client(app);
  client.start();
  EXPECT_EQ(ask(client, "/startupz").status, 503);
  client.advance(Seconds(4));  // once a second until it passes
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(ask(client, "/startupz").status, 200);
}

TEST_F(HealthTest, warns_of_a_check_that_is_not_critical) {
  admin.check("mail", [] { return false; }, {.critical = false, .component_type = "component"});
  Client client(app);
  client.start();
  const TestResponse answer = ask(client, "/readyz");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr(R"({"status":"warn")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("componentType":"component")"));
}

TEST_F(HealthTest, stops_a_check_that_takes_too_long) {
  bool stopped = false;
  admin.check("database",
              [&stopped]() -> Task<> {
                try {
                  co_await sleep_for(Seconds(1000));
                } catch (const Cancelled&) {
                  stopped = true;
                  throw;
                }
              },
              {.timeout = Seconds(2)});
  Client client(app);
  client.start();
  client.advance(Seconds(3));
  EXPECT_TRUE(stopped);
  const TestResponse answer = ask(client, "/readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("it took longer than 2000 ms"));
}

TEST_F(HealthTest, has_no_two_checks_of_one_name) {
  admin.check("a", [] {});
  EXPECT_THROW(admin.check("a", [] {}), std::invalid_argument);
  EXPECT_THROW(admin.check("", [] {}), std::invalid_argument);
}

TEST(Admin, serves_below_a_prefix_of_the_app_inside_its_middleware) {
  App app;
  app.use([](Request& request, Next next) -> Reply {
    if (!request.field("authorization")) throw HttpError(Status::Unauthorized);
    return next();
  });
  app.admin({.prefix = "/internal"});
  Client client(app);
  EXPECT_EQ(client.get("/internal/livez").status, 401);
  client.with("authorization", "x");
  EXPECT_EQ(client.get("/internal/livez").status, 200);
  EXPECT_EQ(client.get("/livez").status, 404);
}

TEST(Admin, is_not_inside_the_middleware_of_the_app) {
  App app;
  app.use([](Request&, Next) -> Reply { throw HttpError(Status::Unauthorized); });
  AdminAddress admin = app.admin({.port = 0});
  admin.routes().get("/own", [] { return "own"; });
  app.get("/", [] { return "page"; });
  Client client(app);
  EXPECT_EQ(client.get("/").status, 401);
  EXPECT_EQ(client.get("/livez").status, 401);
  client.at_listener("admin");
  EXPECT_EQ(client.get("/livez").status, 200);
  EXPECT_EQ(client.get("/own").body, "own");
  EXPECT_EQ(client.get("/").status, 404);
}

TEST(Admin, serves_no_name_that_a_web_page_could_have) {
  App app;
  app.admin({.port = 0});
  Client client(app);
  client.at_listener("admin");
  const auto ask = [&client](const char* host) {
    return client.send({.target = "/livez", .fields = {{"host", host}}}).status;
  };
  for (const char* const own : {"localhost", "localhost:9090", "127.0.0.1:9090", "[::1]:9090"})
    EXPECT_EQ(ask(own), 200);
  for (const char* const other : {"evil.example", "127.0.0.1.evil.example:9090", "localhost.evil.example"}) {
    EXPECT_EQ(ask(other), 421) << other;
  }
}

TEST(Admin, lists_the_routes) {
  App app;
  app.get("/books/{id}", [](int id) { return id; }).name("book");
  app.admin({.port = 0});
  Client client(app);
  const std::string body = client.at_listener("admin").get("/routes").body;
  EXPECT_THAT(body, HasSubstr(R"({"method":"GET","pattern":"/books/{id}","name":"book","listener":""})"));
  EXPECT_THAT(body, HasSubstr(R"("pattern":"/metrics","name":"","listener":"admin")"));
}

TEST(Admin, is_asked_for_once) {
  App app;
  app.admin({.port = 0});
  app.admin({.port = 0});
  EXPECT_THROW(app.service(), SetupError);
}

}  // namespace
}  // namespace tern
