#include "logging/log.hpp"

#include "base/test_folder.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tern::logging {
namespace {

class LogTest : public ::testing::Test {
protected:
  std::string path(const char* name) const { return (folder_.path / name).string(); }
  std::string content(const char* name) const {
    std::ifstream file(path(name));
    return (std::ostringstream() << file.rdbuf()).str();
  }
  // Blocks until the file contains the text; at most twenty seconds.
  void await(const char* name, std::string_view text) const {
    for (int i = 0; i < 20'000; ++i) {
      if (std::filesystem::exists(path(name)) && content(name).contains(text)) return;
      ::poll(nullptr, 0, 1);
    }
    ADD_FAILURE() << "no '" << text << "' in " << name;
  }
  static std::size_t lines(const std::string& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

private:
  base::TestFolder folder_;
};

TEST_F(LogTest, writes_everything_before_it_ends) {
  {
    Log log({.access = AccessLog::Common, .access_file = path("access"), .error_file = path("error")});
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
    Log log({.access = AccessLog::Common, .access_file = path("access"), .error_file = path("error")});
    log.access("line\n");
  }
  EXPECT_EQ(content("access"), "line\nline\n");
}

TEST_F(LogTest, leaves_out_what_is_below_the_level) {
  {
    Log log({.level = LogLevel::Warning, .error_file = path("error")});
    EXPECT_FALSE(log.writes(LogLevel::Info));
    log.write(LogLevel::Debug, "debug");
    log.write(LogLevel::Info, "info");
    log.write(LogLevel::Warning, "warning");
    log.write(LogLevel::Error, "error");
  }
  const std::string text = content("error");
  EXPECT_EQ(lines(text), 2U) << text;
}

TEST_F(LogTest, is_silent_when_it_is_off) {
  {
    Log log({.level = LogLevel::Off, .error_file = path("error")});
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
    Log log(
        {.access = AccessLog::Common, .access_file = path("access"), .error_file = path("error"), .max_repeats = 0});
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

TEST_F(LogTest, names_a_file_that_cannot_be_opened_and_makes_no_directory) {
  const std::string missing = path("nothing/access");
  try {
    Log log({.access = AccessLog::Common, .access_file = missing});
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_EQ(std::string(error.what()), "the log file '" + missing + "' cannot be opened: No such file or directory");
  }
  EXPECT_FALSE(std::filesystem::exists(path("nothing")));
}

TEST_F(LogTest, goes_on_in_a_new_file_when_it_is_opened_again) {
  {
    Log log({.access = AccessLog::Common, .access_file = path("access"), .error_file = path("error")});
    log.access("before\n");
    log.error("before");
    await("error", "before");
    std::filesystem::rename(path("access"), path("access.1"));
    std::filesystem::rename(path("error"), path("error.1"));
    log.reopen();
    await("error", "");  // the file exists again
    log.access("behind\n");
    log.error("behind");
  }
  EXPECT_EQ(content("access.1"), "before\n");
  EXPECT_EQ(content("access"), "behind\n");
  EXPECT_EQ(lines(content("error.1")), 1U);
  EXPECT_TRUE(content("error").ends_with(" error behind\n"));
}

TEST_F(LogTest, has_no_line_in_the_old_file_that_is_logged_after_opening_it_again) {
  Log log({.error_file = path("error")});
  for (int i = 0; i < 100; ++i) {
    std::filesystem::rename(path("error"), path("old"));
    log.reopen();
    log.error("line " + std::to_string(i) + " behind");
    await("error", "line " + std::to_string(i) + " behind");
  }
}

TEST_F(LogTest, goes_on_in_the_old_file_where_it_cannot_be_opened_again) {
  std::filesystem::create_directory(path("folder"));
  {
    Log log({.access = AccessLog::Common, .access_file = path("folder/access"), .error_file = path("error")});
    std::filesystem::rename(path("folder"), path("other"));
    log.reopen();
    await("error", "cannot be opened: No such file or directory");
    log.access("line\n");
  }
  EXPECT_EQ(content("other/access"), "line\n");
}

// Limits the size of files while it lives, like a full disk.
class FileLimit {
public:
  explicit FileLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

private:
  rlimit before_{};
};

TEST_F(LogTest, has_whole_lines_and_counts_the_others_where_there_is_no_room) {
  {
    Log log({.access = AccessLog::Common, .access_file = path("access"), .error_file = path("error")});
    {
      const FileLimit limit(3000);
      for (int i = 0; i < 400; ++i) log.access("123456\n1234567\n");  // 6000 bytes
      await("error", "the access log cannot be written: File too large");
      log.access("the last\n");
      log.error("behind it");
      await("error", "behind it");
    }
    log.access("there is room again\n");
    await("error", " lines of the access log were lost: File too large");
  }
  const std::string access = content("access");
  const std::string end = "there is room again\n";
  ASSERT_TRUE(access.ends_with(end));
  const std::string before = access.substr(0, access.size() - end.size());
  EXPECT_GT(before.size(), 2900U);
  std::string whole;
  while (whole.size() < before.size()) whole += lines(whole) % 2 == 0 ? "123456\n" : "1234567\n";
  EXPECT_EQ(before, whole);
  const std::size_t lost = 801 - lines(before);
  EXPECT_TRUE(content("error").contains("error " + std::to_string(lost) + " lines of the access log"))
      << content("error");
}

TEST_F(LogTest, says_at_the_end_what_was_lost) {
  {
    Log log({.access = AccessLog::Common, .access_file = "/dev/full", .error_file = path("error")});
    log.access("a\nb\n");
  }
  const std::string error = content("error");
  EXPECT_EQ(lines(error), 2U) << error;
  EXPECT_TRUE(error.contains("error the access log cannot be written: No space left on device\n")) << error;
  EXPECT_TRUE(error.ends_with("error 2 lines of the access log were lost: No space left on device\n")) << error;
}

// A pipe accepts a part of a line: the rest comes first, when there is room again.
TEST_F(LogTest, ends_a_line_that_cannot_be_taken_back) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  LogFile file(ends[1]);
  std::string line(9'999, 'x');
  line += '\n';
  std::size_t lost = 0;
  std::size_t written = 0;
  for (; lost == 0 && written < 1'000; ++written) lost = file.append(line + line + line);
  EXPECT_LE(lost, 2U);
  EXPECT_EQ(file.error(), EAGAIN);
  EXPECT_EQ(file.append("lost\n"), 1U);
  std::string text;
  const auto drain = [&] {
    std::string piece(65'536, '\0');
    for (ssize_t size = 0; (size = ::read(ends[0], piece.data(), piece.size())) > 0;) {
      text.append(piece, 0, static_cast<std::size_t>(size));
    }
  };
  drain();
  EXPECT_EQ(file.append("behind\n"), 0U);
  drain();
  std::string whole;
  for (std::size_t i = 0; i < 3 * written - lost; ++i) whole += line;
  EXPECT_TRUE(text == whole + "behind\n");
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace tern::logging
