// Formats, levels of parts, repetitions and targets of the error log.
#include "logging/log.hpp"

#include "base/test_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <source_location>
#include <sstream>
#include <string>

namespace tern::logging {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class LogFormats : public ::testing::Test {
protected:
  std::string path() const { return (folder_.path / "error").string(); }
  std::string content() const {
    std::ifstream file(path());
    return (std::ostringstream() << file.rdbuf()).str();
  }
  LogOptions options() const { return {.level = LogLevel::Info, .error_file = path()}; }

  base::TestFolder folder_;
};

TEST_F(LogFormats, json_is_an_object_in_each_line) {
  LogOptions json = options();
  json.format = LogFormat::Json;
  Log(json).write({LogLevel::Warning, "orders", "so\nld", {{"id", 7}, {"token", "s3cret"}}});
  EXPECT_THAT(content(), MatchesRegex(R"(\{"time":"[-0-9T:.+]*","level":"warning","part":"orders","message":"so\\nld",)"
                                      R"("id":7,"token":"\[redacted\]"\})"
                                      "\n"));
}

TEST_F(LogFormats, logfmt_is_one_line_of_fields) {
  LogOptions logfmt = options();
  logfmt.format = LogFormat::Logfmt;
  Log(logfmt).write({LogLevel::Error, "app", "a\nb", {{"x", "1 2"}}});
  EXPECT_THAT(content(), MatchesRegex("time=[-0-9T:.+]* level=error part=app msg=\"a\\\\x0ab\" x=\"1 2\"\n"));
}

TEST_F(LogFormats, text_has_colours_only_where_they_are_asked_for) {
  const LineFormat::Time now = std::chrono::system_clock::now();
  const std::string plain = LineFormat(LogFormat::Text).line(LogLevel::Error, now, "x\x1b[0m");
  EXPECT_THAT(plain, EndsWith(" error x\\x1b[0m\n")) << "escapes of a client";
  const std::string coloured = LineFormat(LogFormat::Text, true).line(LogLevel::Error, now, "x");
  EXPECT_THAT(coloured, EndsWith("\x1b[1;31merror\x1b[0m x\n"));
  EXPECT_THAT(LineFormat(LogFormat::Json, true).line(LogLevel::Error, now, "\"a\":1"), Not(HasSubstr("\x1b")));
}

TEST_F(LogFormats, a_part_may_have_a_level_of_its_own) {
  {
    LogOptions parts = options();
    parts.level = LogLevel::Warning;
    parts.levels = {{"orders", LogLevel::Debug}, {"tls", LogLevel::Off}};
    Log log(parts);
    EXPECT_TRUE(log.writes(LogLevel::Debug, "orders"));
    EXPECT_FALSE(log.writes(LogLevel::Info, "app"));
    log.write({LogLevel::Debug, "orders", "detail"});
    log.write({LogLevel::Info, "app", "not this"});
    log.write({LogLevel::Error, "tls", "nor this"});
    EXPECT_TRUE(log.levels().set("app", LogLevel::Info));
    log.write({LogLevel::Info, "app", "but this"});
    log.levels().unset("app");
    log.write({LogLevel::Info, "app", "not again"});
    log.levels().set(LogLevel::Off);
    EXPECT_TRUE(log.writes(LogLevel::Debug, "orders"));
    log.levels().unset("orders");
    EXPECT_FALSE(log.writes(LogLevel::Error, "orders"));
  }
  const std::string text = content();
  EXPECT_THAT(text, HasSubstr(" debug [orders] detail\n"));
  EXPECT_THAT(text, HasSubstr(" info but this\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
}

TEST_F(LogFormats, a_single_statement_may_have_a_level_of_its_own) {
  const auto here = std::source_location::current();
  const std::string line = std::to_string(here.line());
  PartLevels levels(LogLevel::Warning, {});
  EXPECT_TRUE(levels.set("orders", LogLevel::Error));
  EXPECT_EQ(levels.of("orders", here), LogLevel::Error);
  for (const std::string& name : {"log_format_test.cpp:" + line, "logging/log_format_test.cpp:" + line}) {
    EXPECT_TRUE(levels.set(name, LogLevel::Debug));
    EXPECT_EQ(levels.lowest(), LogLevel::Debug);
    EXPECT_EQ(levels.of("orders", here), LogLevel::Debug);
    EXPECT_EQ(levels.of("app", here), LogLevel::Debug);
    EXPECT_EQ(levels.of("orders", std::source_location::current()), LogLevel::Error) << "another line";
    EXPECT_EQ(levels.of("orders"), LogLevel::Error) << "an unknown place";
    levels.unset(name);
    EXPECT_EQ(levels.lowest(), LogLevel::Warning);
    EXPECT_EQ(levels.of("orders", here), LogLevel::Error);
  }
  for (const std::string& name : {"format_test.cpp:" + line, "log_format_test.cpp:" + line + "0", ":" + line, line,
                                  std::string("log_format_test.cpp:"), "log_format_test.cpp: " + line}) {
    EXPECT_TRUE(levels.set(name, LogLevel::Debug));
    EXPECT_EQ(levels.of("orders", here), LogLevel::Error) << name;
  }
}

TEST_F(LogFormats, at_most_a_hundred_parts_have_levels) {
  PartLevels levels(LogLevel::Info, {});
  for (std::size_t i = 0; i < PartLevels::max_parts; ++i) EXPECT_TRUE(levels.set(std::to_string(i), LogLevel::Debug));
  EXPECT_FALSE(levels.set("one more", LogLevel::Debug));
  EXPECT_TRUE(levels.set("7", LogLevel::Error));
}

TEST_F(LogFormats, repeated_lines_are_counted) {
  {
    LogOptions few = options();
    few.max_repeats = 3;
    few.repeat_time = Seconds(3600);
    Log log(few);
    for (int i = 0; i < 50; ++i) log.error("line " + std::to_string(i));
    for (int i = 0; i < 50; ++i) log.error("no disk");  // last: another line may displace it, which reports it at once
  }
  const std::string text = content();
  EXPECT_EQ(std::ranges::count(text, '\n'), 3 + 50 + 1) << text;
  EXPECT_THAT(text, EndsWith(" error no disk (repeated 47 times)\n")) << "at the end at the latest";
}

TEST_F(LogFormats, repeated_lines_are_reported_when_their_time_is_over) {
  LogOptions few = options();
  few.max_repeats = 1;
  few.repeat_time = Milliseconds(20);
  few.format = LogFormat::Json;
  Log log(few);
  log.error("a");
  while (!content().contains("\"repeated\":")) log.error("a");
}

// A socket that receives what is logged, as a daemon does.
class LogSockets : public LogFormats {
protected:
  LogSockets() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(path(), address.sun_path);
    EXPECT_EQ(::bind(socket_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  std::string received() const {
    std::array<char, 4096> buffer{};
    const auto size = ::recv(socket_.number(), buffer.data(), buffer.size(), 0);
    return size < 0 ? std::strerror(errno) : std::string(buffer.data(), static_cast<std::size_t>(size));
  }

  net::Descriptor socket_;
};

TEST_F(LogSockets, the_journal_gets_fields) {
  LogOptions journal = options();
  journal.target = LogTarget::Journal;
  Log(journal).write({LogLevel::Warning, "tls", "two\nlines"});
  EXPECT_THAT(received(), MatchesRegex("PRIORITY=4\nSYSLOG_IDENTIFIER=[^\n]*\nMESSAGE=\\[tls\\] two\\\\x0alines\n"));
}

TEST_F(LogSockets, syslog_gets_a_priority_and_a_name) {
  LogOptions syslog = options();
  syslog.target = LogTarget::Syslog;
  syslog.format = LogFormat::Json;
  Log(syslog).write({LogLevel::Error, "app", "x"});
  EXPECT_THAT(received(), MatchesRegex(R"(<27>[A-Z][a-z][a-z] [ 0-9][0-9] [0-9:]* [^ ]*\[[0-9]+\]: )"
                                       R"(\{"part":"app","message":"x"\})"));
}

TEST_F(LogSockets, lines_without_a_daemon_are_counted) {
  LogOptions journal = options();
  journal.target = LogTarget::Journal;
  journal.error_file += ".missing";
  Log log(journal);
  log.error("x");
  while (log.lost() == 0) {
  }
  EXPECT_EQ(log.lost(), 1U);
}

}  // namespace
}  // namespace tern::logging
