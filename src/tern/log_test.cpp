// Lines that applications write to the error log.
#include "tern/running_app.hpp"

#include <tern/base/number.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace tern {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class UserLog : public RunningAppTest {
protected:
  std::string logged_by_then() const { return content_of(folder.path / "error"); }
  Options with_level(LogLevel level, const char* file = "error") const {
    Options options = quiet();
    options.logging = {.level = level, .error_file = folder.path / file};
    return options;
  }
};

TEST_F(UserLog, is_written_by_handlers_and_other_threads_while_the_app_runs) {
  app.get("/books/{id}", [](Request& request, int id) {
    request.log(LogLevel::Warning, "sold", {{"id", id}, {"by", "Anna\nforged line"}});
    log(LogLevel::Info, "from a loop");
    return id;
  });
  app.get("/pool", blocking([] {
            log(LogLevel::Info, "from the pool");
            return "";
          }));
  app.start(with_level(LogLevel::Info));
  EXPECT_THAT(get(app.port(), "/books/7"), HasSubstr("200"));
  get(app.port(), "/pool");
  std::jthread([] { log(LogLevel::Error, "from a thread"); }).join();
  log(LogLevel::Debug, "not important");
  app.stop();
  const std::string text = logged_by_then();
  EXPECT_THAT(text, HasSubstr(" warning GET /books/{id}: sold id=7 by=\"Anna\\x0aforged line\"\n"));
  EXPECT_THAT(text, HasSubstr(" info from a loop\n"));
  EXPECT_THAT(text, HasSubstr(" info from the pool\n"));
  EXPECT_THAT(text, HasSubstr(" error from a thread\n"));
  EXPECT_THAT(text, Not(HasSubstr("not important")));
}

TEST_F(UserLog, goes_to_standard_error_before_and_after_the_app) {
  ::testing::internal::CaptureStderr();
  log(LogLevel::Info, "before", {{"a", "x\ny"}});
  log(LogLevel::Off, "never");
  app.start(with_level(LogLevel::Error));
  log(LogLevel::Error, "meanwhile");
  app.stop();
  log(LogLevel::Debug, "after");
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr(" info before a=\"x\\x0ay\"\n"));
  EXPECT_THAT(text, HasSubstr(" debug after\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
  EXPECT_THAT(logged_by_then(), HasSubstr(" error meanwhile\n"));
}

TEST_F(UserLog, of_several_apps_goes_to_the_one_that_started_last_or_to_that_of_the_request) {
  app.get("/", [](Request& request) {
    request.log(LogLevel::Info, "by the request");
    return "";
  });
  App other;
  app.start(with_level(LogLevel::Info, "first"));
  other.start(with_level(LogLevel::Info, "second"));
  log(LogLevel::Info, "one");
  get(app.port(), "/");
  other.stop();
  log(LogLevel::Info, "two");
  app.stop();
  EXPECT_THAT(content_of(folder.path / "second"), HasSubstr("info one\n"));
  EXPECT_THAT(content_of(folder.path / "second"), Not(HasSubstr("by the request")));
  EXPECT_THAT(content_of(folder.path / "first"), HasSubstr("info two\n"));
  EXPECT_THAT(content_of(folder.path / "first"), HasSubstr("GET /: by the request\n"));
}

TEST_F(UserLog, has_every_line_of_many_threads_while_apps_start_and_stop) {
  std::vector<std::jthread> threads;
  app.start(with_level(LogLevel::Info));
  App other;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([i] {
      for (int line = 0; line < 500; ++line) log(LogLevel::Info, "line", {{"thread", i}, {"number", line}});
    });
  }
  for (int i = 0; i < 3; ++i) {
    other.start(with_level(LogLevel::Info, "other"));
    other.stop();
  }
  threads.clear();
  app.stop();
  const std::string both = logged_by_then() + content_of(folder.path / "other");
  std::size_t lines = 0;
  for (std::size_t at = both.find("line thread="); at != both.npos; at = both.find("line thread=", at + 1)) ++lines;
  EXPECT_EQ(lines, 1500U);
}

TEST_F(UserLog, of_a_part_has_the_level_that_the_app_sets) {
  static constexpr Logger orders("orders");
  app.get("/", [](Request& request) {
    orders.debug(request, "seen");
    return "";
  });
  app.set_log_level(LogLevel::Debug, "orders");  // no effect yet
  app.start(with_level(LogLevel::Warning));
  get(app.port(), "/");
  app.set_log_level(LogLevel::Debug, "orders");
  get(app.port(), "/");
  orders.info("more", {{"cookie", "s3cret"}});
  log(LogLevel::Info, "of another part");
  app.stop();
  const std::string text = logged_by_then();
  EXPECT_THAT(text, HasSubstr(" debug [orders] GET /: seen\n"));
  EXPECT_THAT(text, HasSubstr(" info [orders] more cookie=[redacted]\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
}

TEST_F(UserLog, of_accesses_has_a_sample_and_what_has_failed_or_was_slow) {
  app.get("/quick", [] { return "quick"; });
  app.get("/slow", []() -> Task<std::string> {
    co_await sleep_for(Milliseconds(60));
    co_return "slow";
  });
  app.get("/failed", [] { return Status::ServiceUnavailable; });
  Options options = with_level(LogLevel::Off);
  options.threads = 1;
  options.logging.access = AccessLog::Json;
  options.logging.access_file = folder.path / "access";
  options.logging.access_one_in = 4;
  options.logging.slow = Milliseconds(50);
  app.start(options);
  for (int i = 0; i < 11; ++i) get(app.port(), "/quick");
  for (int i = 0; i < 3; ++i) get(app.port(), "/failed");
  get(app.port(), "/slow");
  app.stop();
  const std::string lines = content_of(folder.path / "access");
  const auto count = [&lines](const std::string& target) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = lines.find("\"target\":\"" + target + "\"", at)) != lines.npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("/quick"), 2U) << lines;
  EXPECT_EQ(count("/failed"), 3U) << lines;
  EXPECT_EQ(count("/slow"), 1U) << lines;
}

TEST_F(UserLog, has_the_statements_whose_places_have_a_level) {
  static constexpr Logger orders("orders");
  int line = 0;
  app.get("/a", [&line](Request& request) {
    orders.debug(request, "this"), line = __LINE__;
    orders.debug(request, "not this");
    request.log(LogLevel::Debug, "nor this");
    return "a";
  });
  app.start(with_level(LogLevel::Warning));
  get(app.port(), "/a");
  app.set_log_level(LogLevel::Debug, "log_test.cpp:" + std::to_string(line));
  get(app.port(), "/a");
  app.set_log_level(LogLevel::Debug, "log_test.cpp:" + std::to_string(line + 2));
  get(app.port(), "/a");
  app.stop();
  const std::string lines = logged_by_then();
  EXPECT_EQ(std::ranges::count(lines, '\n'), 3) << lines;
  EXPECT_THAT(lines, HasSubstr("[orders] GET /a: this"));
  EXPECT_THAT(lines, HasSubstr("GET /a: nor this"));
  EXPECT_THAT(lines, Not(HasSubstr("not this")));
}

TEST_F(UserLog, has_a_line_for_a_slow_request_with_where_its_time_went) {
  app.get("/slow/{id}", [](int) -> Task<std::string> {
    co_await sleep_for(Milliseconds(20));
    const auto work = [] { ::poll(nullptr, 0, 20); };
    co_await offload(work);
    co_return "";
  });
  app.get("/fast", [] { return ""; });
  Options options = with_level(LogLevel::Warning);
  options.logging.slow = Milliseconds(30);
  app.start(options);
  get(app.port(), "/slow/7");
  get(app.port(), "/fast");
  app.stop();
  const std::string text = logged_by_then();
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  EXPECT_THAT(text, HasSubstr(" warning [slow] GET /slow/{id}: was slow status=200 bytes=0 milliseconds="));
  const auto number = [&text](const std::string& name) {
    const std::size_t at = text.find(" " + name + "=");
    if (at == text.npos) return -1.0;
    const std::size_t begin = at + name.size() + 2;
    return base::parse_double(text.substr(begin, text.find_first_of(" \n", begin) - begin)).value_or(-1);
  };
  EXPECT_GE(number("milliseconds"), 40);
  EXPECT_GE(number("handler"), 40);
  EXPECT_GE(number("pool"), 19.9);
  EXPECT_GE(number("other_waits"), 19.9) << "the timer";
  EXPECT_EQ(number("database"), 0);
  EXPECT_GE(number("queue"), 0);
  EXPECT_LT(number("writing"), number("handler"));
}

TEST_F(UserLog, of_a_request_is_among_the_reports_of_the_test_client) {
  app.get("/x", [](Request& request) {
    request.log(LogLevel::Info, "seen");
    return "";
  });
  testing::Client client(app);
  client.print_reports(false).get("/x");
  EXPECT_THAT(client.reports(), ElementsAre("GET /x: seen"));
}

}  // namespace
}  // namespace tern
