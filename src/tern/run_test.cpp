// Starting and stopping an App.
#include <tern/base/number.hpp>
#include <tern/tern.hpp>

#include "tern/running_app.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tern {
namespace {

void add_hello(App& app) {
  app.get("/hello", [] { return "Hello, World!"; });
}

std::string message_of(App& app, const Options& options) {
  try {
    app.start(options);
  } catch (const SetupError& error) {
    return error.what();
  }
  return {};
}

TEST(Run, port_0_is_one_that_is_free) {
  App app;
  add_hello(app);
  EXPECT_EQ(app.port(), 0);
  EXPECT_EQ(app.address(), "");
  app.start(quiet());
  EXPECT_NE(app.port(), 0);
  EXPECT_EQ(app.address(), "127.0.0.1:" + std::to_string(app.port()));
  EXPECT_TRUE(get(app.port()).ends_with("Hello, World!"));
  app.stop();
  EXPECT_EQ(app.port(), 0);
}

TEST(Run, starts_again_after_a_stop_also_on_the_same_port) {
  App app;
  add_hello(app);
  app.start(quiet());
  const std::uint16_t port = app.port();
  net::Peer kept = connect(port);
  kept.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_FALSE(kept.receive_some().empty());
  for (int i = 0; i < 5; ++i) {
    app.stop();
    app.start(quiet(port));
    EXPECT_TRUE(get(port).ends_with("Hello, World!"));
  }
  EXPECT_TRUE(kept.receive_some().empty());
}

TEST(Run, a_second_start_is_an_error_that_leaves_the_first_alone) {
  App app;
  add_hello(app);
  app.start(quiet());
  EXPECT_NE(message_of(app, quiet()).find("runs already"), std::string::npos);
  EXPECT_TRUE(get(app.port()).ends_with("Hello, World!"));
}

TEST(Run, stop_and_wait_without_a_start_do_nothing_and_twice_is_once) {
  App app;
  app.stop();
  app.wait();
  app.start(quiet());
  app.stop();
  app.stop();
  app.wait();
}

TEST(Run, is_stopped_from_many_threads_at_once) {
  App app;
  for (int round = 0; round < 20; ++round) {
    app.start(quiet());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&app] { app.stop(); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(app.port(), 0);
  }
}

TEST(Run, destroying_it_stops_it) {
  std::uint16_t port = 0;
  {
    App app;
    add_hello(app);
    app.start(quiet());
    port = app.port();
  }
  EXPECT_FALSE(connect(port));
}

TEST(Run, a_moved_app_goes_on_serving) {
  App app;
  add_hello(app);
  app.start(quiet());
  App moved(std::move(app));
  EXPECT_TRUE(get(moved.port()).ends_with("Hello, World!"));
  moved.stop();
}

TEST(Run, is_stopped_by_a_handler) {
  App app;
  app.get("/stop", [&app] {
    app.stop();
    return "stopping";
  });
  app.start(quiet());
  EXPECT_TRUE(get(app.port(), "/stop").ends_with("stopping"));
  app.wait();
  EXPECT_EQ(app.port(), 0);
  app.start(quiet());
  EXPECT_TRUE(get(app.port(), "/stop").ends_with("stopping"));
}

TEST(Run, run_ends_with_0_when_a_handler_stops_it) {
  App app;
  app.get("/stop", [&app] {
    app.stop();
    return "stopping";
  });
  std::promise<std::uint16_t> port;
  app.on_start([&] { port.set_value(app.port()); });
  auto result = std::async(std::launch::async, [&app] { return app.run(quiet()); });
  EXPECT_TRUE(get(port.get_future().get(), "/stop").ends_with("stopping"));
  EXPECT_EQ(result.get(), 0);
}

TEST(Run, two_apps_serve_side_by_side) {
  App first;
  App second;
  first.get("/", [] { return "first"; });
  second.get("/", [] { return "second"; });
  first.start(quiet());
  second.start(quiet());
  EXPECT_TRUE(get(first.port(), "/").ends_with("first"));
  EXPECT_TRUE(get(second.port(), "/").ends_with("second"));
}

TEST(Run, an_address_in_use_is_named) {
  App first;
  first.start(quiet());
  App second;
  add_hello(second);
  EXPECT_EQ(message_of(second, quiet(first.port())), "address already in use: " + first.address());
  EXPECT_EQ(second.port(), 0);
  second.start(quiet());  // it is as good as new
  EXPECT_TRUE(get(second.port()).ends_with("Hello, World!"));
}

TEST(Run, the_threads_of_the_pool_have_the_nice_value_of_the_options) {
  App app;
  const auto nice_value = [] { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); };
  app.get("/nice", [nice_value]() -> Task<int> { co_return co_await offload(nice_value); });
  Options options = quiet();
  const int own = nice_value();
  for (const unsigned added : {PoolOptions().nice, 0U, 3U}) {
    options.pool.nice = added;
    app.start(options);
    const std::string expected = std::to_string(std::min(own + static_cast<int>(added), 19));
    EXPECT_TRUE(get(app.port(), "/nice").ends_with("\r\n" + expected)) << added;
    app.stop();
  }
  options.pool.nice = 20;
  EXPECT_EQ(message_of(app, options), "pool.nice is 20, but is from 0 to 19");
}

TEST(Run, a_host_that_is_none_is_named) {
  App app;
  Options options = quiet();
  options.host = "example.org";
  EXPECT_NE(message_of(app, options).find("'example.org'"), std::string::npos);
  options.host = "192.0.2.1";  // of TEST-NET-1, no local address
  EXPECT_NE(message_of(app, options).find("192.0.2.1"), std::string::npos);
}

TEST(Run, a_log_that_cannot_be_opened_is_named) {
  App app;
  Options options = quiet();
  options.logging.access = AccessLog::Common;
  options.logging.access_file = "/proc/no/such/file";
  EXPECT_NE(message_of(app, options).find("/proc/no/such/file"), std::string::npos);
}

// How many descriptors this process may have, while it lives.
class DescriptorLimit {
public:
  explicit DescriptorLimit(rlim_t count) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit limit{count, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

private:
  rlimit before_{};
};

TEST(Run, a_descriptor_limit_that_is_too_low_is_named_with_what_is_needed) {
  App app;
  add_hello(app);
  std::string message;
  {
    const DescriptorLimit limit(40);
    message = message_of(app, quiet());
  }
  EXPECT_TRUE(
      message.starts_with("the limit of open descriptors is 40, but 2 loops, 1 listener and a reserve need "
                          "at least "))
      << message;
  const std::string_view command = "ulimit -n ";
  const std::size_t at = message.find(command);
  ASSERT_NE(at, std::string::npos) << message;
  const std::string_view needed = std::string_view(message).substr(at + command.size());
  const DescriptorLimit limit(base::parse_integer<rlim_t>(needed.substr(0, needed.find(')'))).value_or(0));
  EXPECT_EQ(message_of(app, quiet()), "");
  EXPECT_TRUE(get(app.port()).ends_with("Hello, World!"));
}

TEST(Run, serves_ipv6_and_localhost) {
  App app;
  add_hello(app);
  Options options = quiet();
  options.host = "localhost";
  app.start(options);
  EXPECT_TRUE(get(app.port()).ends_with("Hello, World!"));
  app.stop();
  options.host = "::1";
  try {
    app.start(options);
  } catch (const SetupError& error) {
    GTEST_SKIP() << error.what();  // a machine without IPv6
  }
  EXPECT_EQ(app.address(), "[::1]:" + std::to_string(app.port()));
  EXPECT_TRUE(get(connect(app.port(), "::1"), "/hello").ends_with("Hello, World!"));
}

class RunFiles : public ::testing::Test {
protected:
  TestFolder own;
  const std::filesystem::path& folder = own.path;
};

TEST_F(RunFiles, serves_a_unix_socket_and_removes_it) {
  App app;
  add_hello(app);
  app.get("/remote", [](Request& request) { return std::string(request.remote()); });
  Options options = quiet();
  options.unix_path = folder / "socket";
  app.start(options);
  EXPECT_EQ(app.address(), "unix:" + options.unix_path);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(get(net::Peer::connect(options.unix_path), "/hello").ends_with("Hello, World!"));
  }
  EXPECT_TRUE(get(net::Peer::connect(options.unix_path), "/remote").ends_with("unix"));
  App other;
  EXPECT_NE(message_of(other, options).find("already in use"), std::string::npos);
  app.stop();
  EXPECT_FALSE(std::filesystem::exists(options.unix_path));
  app.start(options);
  EXPECT_TRUE(get(net::Peer::connect(options.unix_path), "/hello").ends_with("Hello, World!"));
}

TEST_F(RunFiles, writes_the_access_log_and_the_error_log) {
  for (const AccessLog format : {AccessLog::Common, AccessLog::Combined, AccessLog::Json, AccessLog::Off}) {
    App app;
    add_hello(app);
    app.get("/throws", []() -> std::string { throw std::runtime_error("a secret"); });
    Options options = quiet();
    options.logging = {format, folder / "access", LogLevel::Error, folder / "error"};
    app.start(options);
    net::Peer peer = connect(app.port());
    peer.send(
        "GET /throws HTTP/1.1\r\nHost: a\r\nUser-Agent: \"\xff\r\n\r\nHEAD /hello HTTP/1.1\r\nHost: "
        "a\r\n\r\nBAD\r\n\r\n");
    const std::string answers = peer.receive_all();
    EXPECT_EQ(answers.find("a secret"), std::string::npos);
    peer.close();
    app.stop();
    const std::string access = content_of(folder / "access");
    EXPECT_EQ(std::ranges::count(access, '\n'), format == AccessLog::Off ? 0 : 3) << access;
    if (format == AccessLog::Combined) {
      EXPECT_TRUE(access.starts_with("127.0.0.1 - - ["));
      EXPECT_NE(access.find("] \"GET /throws HTTP/1.1\" 500 "), std::string::npos) << access;
      EXPECT_NE(access.find(" \"-\" \"\\\"\\xff\"\n"), std::string::npos) << access;
      EXPECT_NE(access.find("] \"HEAD /hello HTTP/1.1\" 200 - "), std::string::npos) << access;
      EXPECT_NE(access.find("] \"-\" 400 "), std::string::npos) << access;
    }
    if (format == AccessLog::Json) {
      EXPECT_NE(access.find("\"route\":\"/throws\",\"status\":500"), std::string::npos) << access;
    }
    const std::string error = content_of(folder / "error");
    EXPECT_NE(error.find("error GET /throws: a secret\n"), std::string::npos) << error;
    EXPECT_EQ(std::ranges::count(error, '\n'), 1) << error;
    std::filesystem::remove(folder / "access");
    std::filesystem::remove(folder / "error");
  }
}

// Counts lines with that text once there is one; at most twenty seconds.
std::ptrdiff_t lines_with(const std::filesystem::path& file, std::string_view text) {
  for (int i = 0; i < 20'000 && !content_of(file).contains(text); ++i) ::poll(nullptr, 0, 1);
  std::istringstream lines(content_of(file));
  std::ptrdiff_t count = 0;
  for (std::string line; std::getline(lines, line);) count += line.contains(text) ? 1 : 0;
  return count;
}

TEST_F(RunFiles, warns_once_when_accepting_pauses) {
  App app;
  add_hello(app);
  Options options = quiet();
  options.limits.max_connections = 2;
  options.logging = {AccessLog::Off, {}, LogLevel::Warning, folder / "error"};
  app.start(options);
  for (int i = 0; i < 5; ++i) {
    net::Peer first = connect(app.port());
    net::Peer second = connect(app.port());
    EXPECT_TRUE(get(std::move(first), "/hello").ends_with("Hello, World!"));
    EXPECT_TRUE(get(std::move(second), "/hello").ends_with("Hello, World!"));
  }
  EXPECT_EQ(lines_with(folder / "error", "warning accepting pauses at 2 connections: there may not be more"), 1);
}

TEST_F(RunFiles, warns_once_when_there_are_no_descriptors) {
  App app;
  add_hello(app);
  Options options = quiet();
  options.logging = {AccessLog::Off, {}, LogLevel::Warning, folder / "error"};
  app.start(options);
  const net::Peer waiting(net::Descriptor(::socket(AF_INET, SOCK_STREAM, 0)));
  {
    const net::Descriptor log(::open((folder / "error").c_str(), O_RDONLY | O_CLOEXEC));  // while files can be opened
    const DescriptorLimit limit(static_cast<rlim_t>(waiting.number()) + 1);
    sockaddr_storage address;
    const socklen_t length = net::Address::parse("127.0.0.1", app.port())->to(address);
    ASSERT_EQ(::connect(waiting.number(), reinterpret_cast<const sockaddr*>(&address), length), 0);
    char one = 0;
    for (int i = 0; i < 20'000 && ::read(log.number(), &one, 1) != 1; ++i) ::poll(nullptr, 0, 1);
  }
  const std::string reason = std::generic_category().message(EMFILE);
  EXPECT_EQ(lines_with(folder / "error", "warning accepting pauses at 0 connections: " + reason), 1);
}

TEST(Run, run_answers_1_and_says_all_that_is_wrong_with_the_setup) {
  App app;
  add_hello(app);
  add_hello(app);
  app.get(runtime("/{"), [] { return "x"; });
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(app.run(quiet()), 1);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(said.starts_with("tern: cannot serve: 2 mistakes in the setup:\n  ")) << said;
  EXPECT_TRUE(said.contains("run_test.cpp:")) << said;
  EXPECT_TRUE(said.contains(": GET '/hello' conflicts with '/hello', which is registered already\n")) << said;
  EXPECT_TRUE(said.contains(": pattern '/{': a '{' is not closed\n")) << said;
  EXPECT_EQ(message_of(app, quiet()) + "\n", said.substr(std::string_view("tern: cannot serve: ").size()));
}

TEST(Run, run_answers_1_when_it_cannot_start) {
  App first;
  first.start(quiet());
  App second;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(second.run(quiet(first.port())), 1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "tern: cannot serve: address already in use: " + first.address() + "\n");
}

}  // namespace
}  // namespace tern
