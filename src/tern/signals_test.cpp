// The signals that App::run() takes.
#include <tern/base/number.hpp>
#include <tern/coro/executor.hpp>
#include <tern/tern.hpp>

#include "tern/running_app.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <regex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tern {
namespace {

// An app that runs in a thread of its own, and signals for the whole process.
class RunSignals : public ::testing::Test {
protected:
  RunSignals() {
    app.get("/hello", [] { return "Hello, World!"; });
    app.on_start([this] { started_.set_value(app.port()); });
    app.get("/ready", [this] { return app.is_draining() ? Status::ServiceUnavailable : Status::NoContent; });
    app.get("/late", [this]() -> Task<Response> {
      arrived = true;
      while (!released) {
        const NextRound next;
        co_await next;
      }
      co_return Response::text("late");
    });
  }

  Milliseconds slow = Milliseconds(0);  // of the log of slow requests

  // Returns when the app serves; its port.
  std::uint16_t run(Milliseconds drain = Seconds(30), Milliseconds delay = Milliseconds(0)) {
    started_ = {};
    Options options = quiet();
    options.timeouts.drain = drain;
    options.timeouts.drain_delay = delay;
    options.logging.level = LogLevel::Info;
    options.logging.error_file = folder / "error";
    options.logging.slow = slow;
    std::packaged_task<int()> task([this, options] { return app.run(options); });
    result_ = task.get_future();
    thread_ = std::jthread(std::move(task));
    return started_.get_future().get();
  }
  static void signal(int number) { ::kill(::getpid(), number); }
  int result() { return result_.get(); }
  bool ended_within(Milliseconds time) const {
    return result_.wait_for(std::chrono::milliseconds(time.count())) == std::future_status::ready;
  }
  // A connection on which a request waits for its answer.
  net::Peer busy(std::uint16_t port) {
    net::Peer peer = connect(port);
    peer.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n");
    while (!arrived) std::this_thread::yield();
    return peer;
  }
  bool logged_by_now(std::string_view text) const { return content_of(folder / "error").contains(text); }
  // Blocks until that is in the log.
  bool logged(std::string_view text) const {
    for (int i = 0; i < 20'000; ++i) {
      if (logged_by_now(text)) return true;
      ::poll(nullptr, 0, 1);
    }
    return false;
  }

  TestFolder own;
  const std::filesystem::path& folder = own.path;
  std::atomic<bool> arrived = false;
  std::atomic<bool> released = false;
  App app;

private:
  struct NextRound {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) const {
      Executor::current()->post([handle] { handle.resume(); });
    }
    void await_resume() const noexcept {}
  };
  std::promise<std::uint16_t> started_;
  std::future<int> result_;

protected:
  std::jthread thread_;
};

TEST_F(RunSignals, end_it_with_0) {
  for (const int number : {SIGTERM, SIGINT}) {
    const std::uint16_t port = run();
    EXPECT_TRUE(get(port).ends_with("Hello, World!"));
    signal(number);
    EXPECT_EQ(result(), 0);
    EXPECT_FALSE(connect(port));
  }
}

TEST_F(RunSignals, let_a_request_in_flight_end) {
  const std::uint16_t port = run();
  net::Peer peer = busy(port);
  net::Peer other = connect(port);
  other.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_FALSE(other.receive_some().empty());
  signal(SIGTERM);
  EXPECT_TRUE(other.receive_all().empty());  // an idle one ends at once
  ASSERT_TRUE(logged("stopping: requests in flight may end"));
  while (connect(port)) std::this_thread::yield();  // both loops drain by now
  released = true;
  const std::string answer = peer.receive_all();
  EXPECT_TRUE(answer.ends_with("late")) << answer;
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos) << answer;
  peer.close();
  EXPECT_EQ(result(), 0);
}

TEST_F(RunSignals, the_second_ends_it_at_once) {
  const net::Peer peer = busy(run(Seconds(600)));
  signal(SIGTERM);
  ASSERT_TRUE(logged("stopping: requests in flight may end"));
  signal(SIGINT);
  EXPECT_EQ(result(), 0);
  EXPECT_TRUE(logged("stopping at once"));
}

TEST_F(RunSignals, begin_a_delay_in_which_all_is_served_and_a_readiness_route_says_no) {
  const std::uint16_t port = run(Seconds(600), Seconds(600));
  const net::Peer waiting = busy(port);
  EXPECT_TRUE(get(port, "/ready").starts_with("HTTP/1.1 204"));
  EXPECT_FALSE(app.is_draining());
  signal(SIGTERM);
  ASSERT_TRUE(logged("stopping, after a delay"));
  EXPECT_TRUE(app.is_draining());
  EXPECT_TRUE(get(port, "/ready").starts_with("HTTP/1.1 503"));
  EXPECT_TRUE(get(port).ends_with("Hello, World!"));
  signal(SIGTERM);
  ASSERT_TRUE(logged("stopping: requests in flight may end"));
  while (connect(port)) std::this_thread::yield();
  EXPECT_FALSE(logged_by_now("stopping at once"));
  signal(SIGTERM);
  EXPECT_EQ(result(), 0);
  EXPECT_TRUE(logged_by_now("stopping at once"));
}

TEST_F(RunSignals, begin_a_delay_that_ends_by_itself) {
  const std::uint16_t port = run(Seconds(600), Milliseconds(20));
  EXPECT_TRUE(get(port).ends_with("Hello, World!"));  // it serves: before that, there is no delay
  signal(SIGTERM);
  EXPECT_EQ(result(), 0);
  EXPECT_TRUE(logged_by_now("stopping, after a delay"));
  EXPECT_TRUE(logged_by_now("stopping: requests in flight may end"));
  EXPECT_FALSE(connect(port));
  EXPECT_FALSE(app.is_draining());
}

// Runs an app in which a handler blocks its thread, and sends two signals meanwhile.
template <class Handler>
void run_with_two_signals(Handler handler) {
  App app;
  app.get("/", handler);
  std::jthread client;
  app.on_start([&] { client = std::jthread([port = app.port()] { get(port, "/"); }); });
  std::_Exit(app.run(quiet()));
}

void signal_twice_and_block() {
  ::kill(::getpid(), SIGTERM);
  ::kill(::getpid(), SIGINT);  // two of the same may become one
  std::promise<void> never;
  never.get_future().wait();
}

TEST(RunSignalsDeathTest, the_second_does_not_wait_for_a_job_of_the_pool) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_with_two_signals(blocking([] {
                signal_twice_and_block();
                return "";
              })),
              ::testing::ExitedWithCode(1), "work that cannot be stopped is left behind");
}

TEST(RunSignalsDeathTest, the_second_does_not_wait_for_a_blocked_loop) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_with_two_signals([] {
                signal_twice_and_block();
                return "";
              }),
              ::testing::ExitedWithCode(1), "work that cannot be stopped is left behind");
}

// ppoll() fails with EINVAL then. A signal whose handler does nothing ends the one that waits already.
TEST_F(RunSignals, end_it_where_polling_fails) {
  run();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto previous = std::signal(SIGUSR1, [](int) {});
  pthread_kill(thread_.native_handle(), SIGUSR1);
  signal(SIGTERM);
  const bool ended = ended_within(Seconds(20));
  std::signal(SIGUSR1, previous);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(ended);
  if (!ended) app.stop();
  EXPECT_EQ(result(), 0);
}

TEST_F(RunSignals, end_a_child_of_fork_alone) {
  app.get("/fork", [] {
    const pid_t child = ::_Fork();  // in a child of fork(), ThreadSanitizer runs no signal handler
    while (child == 0) ::pause();
    return child;
  });
  const std::uint16_t port = run();
  net::Peer peer = connect(port);  // kept: the child has a copy of it, so that its end would not be seen
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    peer.send("GET /fork HTTP/1.1\r\nHost: a\r\n\r\n");
    const std::string answer = peer.receive_some();
    const pid_t child = base::parse_integer<pid_t>(answer.substr(answer.find("\r\n\r\n") + 4)).value_or(0);
    ASSERT_GT(child, 0);
    ::kill(child, number);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << status;
  }
  EXPECT_TRUE(get(port).ends_with("Hello, World!"));
  EXPECT_FALSE(content_of(folder / "error").contains("stopping"));
  peer.close();
  signal(SIGTERM);
  EXPECT_EQ(result(), 0);
}

TEST_F(RunSignals, sighup_opens_the_logs_again) {
  const std::uint16_t port = run();
  ASSERT_TRUE(logged("serving"));
  const auto turned_over = [this](const char* to) {
    for (int i = 0; i < 20'000 && !std::filesystem::exists(folder / "error"); ++i) ::poll(nullptr, 0, 1);
    std::filesystem::rename(folder / "error", folder / to);
  };
  turned_over("error.1");
  signal(SIGHUP);
  turned_over("error.2");
  app.reopen_logs();
  turned_over("error.3");
  signal(SIGUSR1);
  EXPECT_TRUE(get(port).ends_with("Hello, World!"));
  signal(SIGTERM);
  EXPECT_EQ(result(), 0);
  EXPECT_TRUE(content_of(folder / "error.1").contains("serving"));
  EXPECT_TRUE(content_of(folder / "error.2").empty());
  EXPECT_TRUE(content_of(folder / "error.3").empty());
  EXPECT_TRUE(content_of(folder / "error").contains("stopping")) << "opened before the next line";
}

TEST_F(RunSignals, write_down_what_the_loops_do) {
  const net::Peer peer = busy(run());
  signal(SIGQUIT);
  EXPECT_TRUE(logged("[state] GET /late: is in flight"));
  EXPECT_TRUE(logged("[state] the pool running=0"));
  EXPECT_TRUE(logged("[state] a loop loop=1"));
  released = true;
  signal(SIGTERM);
  EXPECT_EQ(result(), 0);
}

Task<> await_in_a_helper(const std::atomic<bool>& ends) {
  while (!ends) co_await sleep_for(Milliseconds(5));
}

TEST_F(RunSignals, write_down_where_each_coroutine_waits) {
  std::atomic<bool> ends = false;
  app.get("/chain", [&ends]() -> Task<std::string> {
    co_await await_in_a_helper(ends);
    co_return "done";
  });
  slow = Seconds(100);  // so that waits are noted
  net::Peer peer = connect(run());
  peer.send("GET /chain HTTP/1.1\r\nHost: a\r\n\r\n");
  for (int i = 0; i < 40 && !logged_by_now("await_in_a_helper"); ++i) {  // until the request has arrived
    signal(SIGQUIT);
    ::poll(nullptr, 0, 100);
  }
  const std::string log = content_of(folder / "error");
  EXPECT_TRUE(std::regex_search(log, std::regex("GET /chain: is in flight .*awaits=timer "
                                                "chain=\"timer: tern::\\(anonymous namespace\\)::await_in_a_helper < "
                                                "tern::\\(anonymous namespace\\)::RunSignals_[^ ]*::operator\\(\\)")))
      << log;
  EXPECT_TRUE(
      std::regex_search(log, std::regex("a loop loop=[01] .*posted=[0-9]+ timers=[1-9][0-9]* timer_kinds=\"?[a-z]")))
      << log;
  ends = true;
  signal(SIGTERM);
  EXPECT_EQ(result(), 0);
}

TEST_F(RunSignals, write_down_what_the_next_timers_are_for) {
  std::atomic<bool> ends = false;
  app.every(Seconds(50), [] {});
  const auto line = std::to_string(__LINE__ - 1);
  app.get("/chain", [&ends]() -> Task<std::string> {
    co_await await_in_a_helper(ends);
    co_return "done";
  });
  slow = Seconds(100);  // so that waits are noted
  const std::uint16_t port = run();
  const net::Peer idle = connect(port);  // has to send a request before a deadline
  net::Peer peer = connect(port);
  peer.send("GET /chain HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto all_are_logged = [&] {
    const std::string log = content_of(folder / "error");
    const auto matches = [&log](const std::string& text) { return std::regex_search(log, std::regex(text)); };
    return matches("a timer loop=[01] milliseconds=[0-9]+ for=\"sleep: [^\n]*::await_in_a_helper < [^\n]*operator") &&
           matches("a timer loop=0 milliseconds=[45][0-9]{4} for=\"every: signals_test.cpp:" + line + "\"") &&
           matches("a timer loop=[01] milliseconds=[0-9]{4,5} for=(head|keep-alive)\n") &&
           matches("timer_kinds=[^\n]*every 1");
  };
  for (int i = 0; i < 40 && !all_are_logged(); ++i) {  // until both connections have arrived
    signal(SIGQUIT);
    ::poll(nullptr, 0, 100);
  }
  EXPECT_TRUE(all_are_logged()) << content_of(folder / "error");
  ends = true;
  signal(SIGTERM);
  EXPECT_EQ(result(), 0);
}

TEST_F(RunSignals, write_down_the_coroutine_that_awaits_a_group) {
  std::atomic<bool> ends = false;
  app.get("/group", [&ends]() -> Task<std::string> {
    co_await with_timeout(Seconds(100), when_all(await_in_a_helper(ends), await_in_a_helper(ends)));
    co_return "done";
  });
  slow = Seconds(100);  // so that waits are noted
  net::Peer peer = connect(run());
  peer.send("GET /group HTTP/1.1\r\nHost: a\r\n\r\n");
  for (int i = 0; i < 40 && !logged_by_now("await_in_a_helper"); ++i) {  // until the request has arrived
    signal(SIGQUIT);
    ::poll(nullptr, 0, 100);
  }
  const std::string log = content_of(folder / "error");
  EXPECT_TRUE(std::regex_search(log, std::regex("chain=\"timer: tern::\\(anonymous namespace\\)::await_in_a_helper < "
                                                "when_all < with_timeout < "
                                                "tern::\\(anonymous namespace\\)::RunSignals_[^ ]*::TestBody")))
      << log;
  ends = true;
  signal(SIGTERM);
  EXPECT_EQ(result(), 0);
}

// Chains are walked while requests begin and end on other loops, on the pool and by timers.
TEST_F(RunSignals, write_down_what_the_loops_do_under_load) {
  app.get("/work", []() -> Task<std::string> {
    co_await sleep_for(Milliseconds(1));
    const auto work = [] { return std::string("done"); };
    co_return co_await offload(work);
  });
  slow = Seconds(100);  // so that waits are noted
  const std::uint16_t port = run();
  std::atomic<bool> ends = false;
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      while (!ends) wrong += get(port, "/work").ends_with("done") ? 0 : 1;
    });
  }
  for (int i = 0; i < 20; ++i) {
    signal(SIGQUIT);
    ::poll(nullptr, 0, 10);
  }
  EXPECT_TRUE(logged("GET /work: is in flight"));
  ends = true;
  clients.clear();
  EXPECT_EQ(wrong, 0);
  signal(SIGTERM);
  EXPECT_EQ(result(), 0);
}

#if !defined(__SANITIZE_THREAD__)  // it delivers signals only at the next wait of a thread
TEST_F(RunSignals, write_down_where_a_loop_is_that_does_not_answer) {
  std::atomic<bool> blocks = true;
  app.get("/block", [&blocks] {
    while (blocks) {
    }
    return "";
  });
  const std::uint16_t port = run();
  net::Peer peer = connect(port);
  peer.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n");
  for (int i = 0; i < 40 && !logged_by_now("a loop does not answer"); ++i) {  // until the request has arrived
    signal(SIGQUIT);
    ::poll(nullptr, 0, 600);
  }
  const std::string log = content_of(folder / "error");
  EXPECT_TRUE(std::regex_search(log, std::regex("a loop does not answer loop=[01] posted=[1-9][0-9]* stack=\"")))
      << log;
  blocks = false;
  signal(SIGTERM);
  EXPECT_EQ(result(), 0);
}

TEST_F(RunSignals, are_not_needed_for_a_report_of_a_stalled_loop) {
  std::atomic<bool> blocks = true;
  app.get("/block", [&blocks] {
    while (blocks) {
    }
    return "";
  });
  Options options = quiet();
  options.logging = {.level = LogLevel::Warning, .error_file = folder / "stalls", .stall = Milliseconds(20)};
  app.start(options);
  for (int i = 0; i < 3; ++i) {
    blocks = true;
    net::Peer peer = connect(app.port());
    peer.send("GET /block HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    if (i == 0) {
      for (int wait = 0; wait < 20'000 && !content_of(folder / "stalls").contains("\n"); ++wait) ::poll(nullptr, 0, 1);
    } else {
      ::poll(nullptr, 0, 60);  // long enough to be seen
    }
    blocks = false;
    peer.receive_all();
  }
  app.stop();
  const std::string log = content_of(folder / "stalls");
  EXPECT_NE(log.find("[stall] a loop is stalled"), std::string::npos) << log;
  EXPECT_NE(log.find("stack=\""), std::string::npos) << log;
#if __has_include(<execinfo.h>)
  EXPECT_NE(log.find(" < "), std::string::npos) << log;
#endif
}
#endif

TEST_F(RunSignals, give_up_after_the_drain_timeout) {
  const net::Peer peer = busy(run(Milliseconds(50)));
  signal(SIGTERM);
  EXPECT_EQ(result(), 0);
}

TEST_F(RunSignals, a_drain_timeout_of_zero_is_none) {
  net::Peer peer = busy(run(Milliseconds(0)));
  signal(SIGTERM);
  ASSERT_TRUE(logged("stopping: requests in flight may end"));
  released = true;
  EXPECT_TRUE(peer.receive_all().ends_with("late"));
  peer.close();
  EXPECT_EQ(result(), 0);
}

TEST_F(RunSignals, what_they_did_before_comes_back) {
  const auto before = std::signal(SIGTERM, SIG_IGN);
  app.on_start([] { ::raise(SIGTERM); });
  EXPECT_EQ(app.run(quiet()), 0);
  EXPECT_EQ(std::signal(SIGTERM, before), SIG_IGN);
}

TEST_F(RunSignals, a_second_run_in_the_same_process_is_an_error) {
  run();
  App other;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(other.run(quiet()), 1);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("two apps run at once"), std::string::npos);
  signal(SIGTERM);
  EXPECT_EQ(result(), 0);
}

}  // namespace
}  // namespace tern
