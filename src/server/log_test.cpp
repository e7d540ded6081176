#include "server/log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace tern::server {
namespace {

class LogTest : public ::testing::Test {
protected:
  LogTest() {
    std::string name = (std::filesystem::temp_directory_path() / "tern-log-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~LogTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::string content(const char* name) const {
    std::ifstream file(path(name));
    return (std::ostringstream() << file.rdbuf()).str();
  }
  static std::size_t lines(const std::string& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

private:
  std::filesystem::path folder_;
};

TEST_F(LogTest, writes_everything_before_it_ends) {
  {
    Log log({.access = true, .access_file = path("access"), .error_file = path("error")});
    for (int i = 0; i < 1000; ++i) log.access(std::to_string(i) + "\n");
    log.access("a\nb\n");
    log.error("went wrong");
  }
  const std::string access = content("access");
  EXPECT_EQ(lines(access), 1002U);
  EXPECT_TRUE(access.starts_with("0\n1\n2\n"));
  EXPECT_TRUE(access.ends_with("999\na\nb\n"));
  EXPECT_TRUE(content("error").ends_with(" error went wrong\n")) << content("error");
}

TEST_F(LogTest, appends_to_a_file_that_is_there) {
  for (int i = 0; i < 2; ++i) {
    Log log({.access = true, .access_file = path("access"), .error_file = path("error")});
    log.access("line\n");
  }
  EXPECT_EQ(content("access"), "line\nline\n");
}

TEST_F(LogTest, leaves_out_what_is_below_the_level) {
  {
    Log log({.error_file = path("error"), .level = Severity::Warning});
    EXPECT_FALSE(log.writes(Severity::Info));
    log.write(Severity::Debug, "debug");
    log.write(Severity::Info, "info");
    log.write(Severity::Warning, "warning");
    log.write(Severity::Error, "error");
  }
  const std::string text = content("error");
  EXPECT_EQ(lines(text), 2U) << text;
}

TEST_F(LogTest, is_silent_when_it_is_off) {
  {
    Log log({.error_file = path("error"), .level = Severity::Off});
    log.error("error");
  }
  EXPECT_EQ(content("error"), "");
}

TEST_F(LogTest, a_message_stays_one_line) {
  {
    Log log({.error_file = path("error")});
    log.error("a\nb\r\x1b[31m {} %v \x7f");
  }
  const std::string text = content("error");
  EXPECT_TRUE(text.ends_with("a\\x0ab\\x0d\\x1b[31m {} %v \\x7f\n")) << text;
  EXPECT_EQ(lines(text), 1U);
}

TEST_F(LogTest, takes_lines_from_many_threads) {
  {
    Log log({.access = true, .access_file = path("access"), .error_file = path("error")});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&log] {
        for (int k = 0; k < 500; ++k) {
          log.access("line\n");
          log.error("error");
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(lines(content("access")), 2000U);
  EXPECT_EQ(lines(content("error")), 2000U);
}

TEST_F(LogTest, names_a_file_that_cannot_be_opened) {
  const std::string missing = path("nothing/here/access");
  std::ofstream(path("nothing")) << "a file where a folder is needed";
  try {
    Log log({.access = true, .access_file = missing});
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find(missing), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tern::server
