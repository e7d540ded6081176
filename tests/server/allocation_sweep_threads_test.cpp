// Every allocation of the threads that run no loop fails in turn: the log's, the pool's, and the certificates'. What
// asked for the memory is lost, and the process lives.
#include "server/allocation_sweep.hpp"

#include "base/test_folder.hpp"
#include "logging/log.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace tern::testing {
namespace {

class Folder {
public:
  std::string path(const char* name) const { return (folder_.path / name).string(); }
  std::string content(const char* name) const {
    return (std::ostringstream() << std::ifstream(path(name)).rdbuf()).str();
  }

private:
  base::TestFolder folder_;
};

LogOptions log_into(const Folder& folder) {
  LogOptions options;
  options.access = AccessLog::Common;
  options.access_file = folder.path("access");
  options.error_file = folder.path("errors");
  return options;
}

// Lines of one kind of letter: how many, or -1 where one is not whole.
int whole_lines(const std::string& text, char letter, std::size_t size) {
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(letter) == std::string::npos) continue;
    if (!line.ends_with(std::string(size, letter))) return -1;
    ++count;
  }
  return count;
}

TEST(AllocationSweepThreads, the_log_loses_lines_and_counts_them) {
  constexpr std::size_t size = 700;  // more than the writer has at hand
  for (std::int64_t n = 1, failed = 1; failed != 0; ++n) {
    ASSERT_LT(n, 200) << "the log does not come to its end";
    SCOPED_TRACE(n);
    const Folder folder;
    {
      logging::Log log(log_into(folder));
      const OtherThreadsMayFail others;
      fail_allocation(n);
      log.error(std::string(size, '#'));
      log.access(std::string(size, '@') + "\n");
      log.reopen();
      log.error(std::string(size, '#'));
    }
    failed = stop_failing() ? 1 : 0;
    const std::string errors = folder.content("errors");
    const int written = whole_lines(errors, '#', size);
    EXPECT_EQ(whole_lines(folder.content("access"), '@', size), 1);
    EXPECT_GE(written, failed != 0 ? 1 : 2);
  }
}

TEST(AllocationSweepThreads, a_line_for_which_its_writer_has_no_memory_is_counted) {
  const Folder folder;
  {
    logging::Log log(log_into(folder));
    const std::string line(1000, '#');
    std::thread([&] {
      allocations_of_this_thread_may_fail();
      fail_allocation(1);
      log.error(line);
    }).join();
    EXPECT_TRUE(stop_failing());
    log.error("wakes it");
  }
  EXPECT_NE(folder.content("errors").find("1 log lines were lost"), std::string::npos);
}

TEST(AllocationSweepThreads, signals_stop_and_reload_whatever_fails) {
  for (std::int64_t n = 1, failed = 1; failed != 0; ++n) {
    ASSERT_LT(n, 500);
    SCOPED_TRACE(n);
    const Folder folder;
    App app;
    Options options;
    options.port = 0;
    options.threads = 1;
    options.logging = log_into(folder);
    std::promise<void> started;
    app.on_start([&]() -> Task<> {
      started.set_value();
      co_return;
    });
    std::promise<int> ended;
    std::thread runner([&] {
      allocations_of_this_thread_may_fail();
      ended.set_value(app.run(options));
    });
    started.get_future().wait();
    fail_allocation(n);
    ::kill(::getpid(), SIGHUP);
    ::kill(::getpid(), SIGTERM);
    EXPECT_EQ(ended.get_future().get(), 0);
    failed = stop_failing() ? 1 : 0;
    runner.join();
  }
}

// On the pool: parsing, handlers, and their results.
TEST(AllocationSweepThreads, a_job_fails_alone) {
  constexpr std::int64_t bound = 3000;
  for (std::int64_t n = 1, failed = 1; failed != 0; ++n) {
    ASSERT_LT(n, bound);
    SCOPED_TRACE(n);
    const Folder folder;
    App app;
    exchange::Settings settings;
    settings.access = AccessLog::Common;
    app.get("/healthy", [] { return "yes"; });
    app.get("/blocking", blocking([] { return std::string(5000, 'x'); }));
    app.post("/json", [](Json<std::vector<std::string>> list) { return list->size(); });
    const std::string json = "[\"" + std::string(300'000, 'x') + "\"]";
    {
      RunningServer running(app.service(), settings, 1, log_into(folder));
      const OtherThreadsMayFail others;
      fail_allocation(n);
      {
        HttpClient client = running.client();
        client.get("/blocking", "Connection: close\r\n");
        client.rest();
        HttpClient other = running.client();
        other.post("/json", json, "Content-Type: application/json\r\nConnection: close\r\n");
        other.rest();
      }
      failed = stop_failing() ? 1 : 0;
      ASSERT_EQ(running.client().ask("/healthy").body, "yes");
      ASSERT_TRUE(running.eventually([&] { return running.worker().context().exchanges_in_use() == 0; }))
          << "a request leaks";
      running.drain();
      running.wait();
    }
  }
}

}  // namespace
}  // namespace tern::testing
