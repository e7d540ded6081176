// tern bench: its load against servers of the test, and what it prints.
#include "command/bench.hpp"

#include <tern/json/json.hpp>
#include <tern/tern.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tern::command {
namespace {

using load::LoadOptions;
using load::LoadReport;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Bench : public ::testing::Test {
protected:
  // The report about `path` of the app.
  LoadReport run(LoadOptions options, const std::string& path = "/") {
    app.start({.port = 0, .threads = 1, .logging = {.level = LogLevel::Off}});
    options.url = "http://127.0.0.1:" + std::to_string(app.port()) + path;
    const LoadReport report = load::run(options);
    app.stop();
    return report;
  }

  App app;
};

TEST_F(Bench, counts_responses_and_their_statuses) {
  app.get("/", [] { return "Hello"; });
  const LoadReport report = run({.connections = 4, .seconds = 0.2, .warm_up = 0.05});
  EXPECT_GT(report.requests, 0U);
  EXPECT_EQ(report.errors, 0U);
  EXPECT_GE(report.classes[2], report.requests);
  EXPECT_GT(report.received_bytes, report.requests * 5);
  EXPECT_GE(report.seconds, 0.2);
  EXPECT_GT(report.p50, 0);
  EXPECT_LE(report.p50, report.p90);
  EXPECT_LE(report.p999, report.max);
}

TEST_F(Bench, sends_method_fields_and_content) {
  std::atomic<bool> is_as_asked = false;
  app.post("/", [&](const Request& request) {
    is_as_asked = request.body() == "content" && request.field("x-test") == "1";
    return Status::NoContent;
  });
  run({.method = "POST", .fields = {{"X-Test", "1"}}, .content = "content", .connections = 1, .seconds = 0.05});
  EXPECT_TRUE(is_as_asked);
}

TEST_F(Bench, replaces_connections_that_the_server_closes) {
  app.get("/", [] { return Response::text("bye").close(); });
  const LoadReport report = run({.connections = 2, .seconds = 0.1});
  EXPECT_GT(report.requests, 2U);
  EXPECT_EQ(report.errors, 0U);
}

TEST_F(Bench, counts_connections_that_break) {
  app.get("/", [] {
    return Response::stream(media::text, [](Writer& writer) -> Task<> {
      co_await writer.write("a part");
      throw std::runtime_error("no more");
    });
  });
  EXPECT_THROW(run({.connections = 1, .seconds = 30}), std::runtime_error);
}

// A request in the way of others makes these wait, and they have waited although they were not sent yet.
TEST_F(Bench, counts_latencies_from_when_requests_were_due) {
  std::atomic<int> calls = 0;
  app.get("/", [&calls]() -> Task<std::string> {
    if (calls.fetch_add(1) == 0) co_await sleep_for(Milliseconds(400));
    co_return "done";
  });
  const LoadReport report = run({.connections = 1, .seconds = 0.5, .rate = 100});
  EXPECT_GE(report.requests, 50U);
  EXPECT_LE(report.requests, 51U);
  EXPECT_GE(report.max, 400'000);
  EXPECT_GE(report.p50, 100'000);  // half of them were due in the first 250 ms, and answered after 400 ms
  EXPECT_EQ(report.unanswered, 0U);
}

TEST_F(Bench, counts_requests_that_have_no_response_at_the_end) {
  app.get("/", []() -> Task<std::string> {
    co_await sleep_for(Seconds(60));
    co_return "late";
  });
  const LoadReport report = run({.connections = 1, .seconds = 0.3, .rate = 10, .grace = 0.05});
  EXPECT_EQ(report.requests, 0U);
  EXPECT_GE(report.unanswered, 3U);
}

// Binds a socket to 127.0.0.1; its port.
std::uint16_t bind_to_loopback(int socket) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
  return ntohs(address.sin_port);
}

// The rest of the content would be lost in the next request.
TEST(BenchOfAnEarlyResponse, opens_another_connection) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const std::uint16_t port = bind_to_loopback(socket);
  ASSERT_EQ(::listen(socket, 8), 0);
  std::vector<int> clients;
  std::jthread server([&] {
    std::vector<char> bytes(64U * 1024);
    for (int client = 0; (client = ::accept(socket, nullptr, nullptr)) >= 0;) {
      clients.push_back(client);
      ::recv(client, bytes.data(), bytes.size(), 0);
      constexpr std::string_view response = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
      ::send(client, response.data(), response.size(), MSG_NOSIGNAL);
    }
  });
  const LoadReport report = load::run({.url = "127.0.0.1:" + std::to_string(port),
                                       .method = "POST",
                                       .content = std::string(32U * 1024 * 1024, 'a'),
                                       .connections = 1,
                                       .seconds = 0.1});
  ::shutdown(socket, SHUT_RDWR);
  server.join();
  ::close(socket);
  EXPECT_GE(report.requests, 2U);
  EXPECT_EQ(report.errors, 0U);
  EXPECT_GE(clients.size(), report.requests);
  for (const int client : clients) ::close(client);
}

TEST(BenchOfNothing, says_why) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);  // bound, and not listening
  const std::uint16_t port = bind_to_loopback(socket);
  try {
    load::run({.url = "127.0.0.1:" + std::to_string(port), .connections = 1, .seconds = 30});
    ADD_FAILURE() << "there was a response";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("Connection refused"));
  }
  ::close(socket);
}

const LoadReport sample{.seconds = 2,
                        .requests = 3000,
                        .errors = 1,
                        .last_error = "Broken pipe",
                        .unanswered = 2,
                        .received_bytes = 3 * 1024 * 1024,
                        .classes = {0, 0, 2990, 0, 0, 10},
                        .mean = 500,
                        .p50 = 420,
                        .p90 = 1500,
                        .p99 = 2'500'000,
                        .p999 = 2'600'000,
                        .max = 2'700'000};

TEST(BenchReport, is_text_for_people) {
  const std::string text = as_text({.url = "http://a/", .connections = 8, .rate = 1500}, sample);
  EXPECT_THAT(text, HasSubstr("http://a/, 8 connections, 2.0 s, 1500 requests a second\n"));
  EXPECT_THAT(text, ContainsRegex("requests +3000 +.1500 a second.\nreceived +3.0 MiB\nstatuses +2xx 2990, 5xx 10\n"));
  EXPECT_THAT(text, ContainsRegex("errors +1  .the last: Broken pipe.\nunanswered +2\n"));
  EXPECT_THAT(text, HasSubstr("p50 420 us, p90 1.50 ms, p99 2.50 s, p99.9 2.60 s, max 2.70 s\n"));
  EXPECT_THAT(as_text({.url = "http://a/"}, sample), HasSubstr("as fast as responses come"));
}

struct Latency {
  double p50;
  double p999;
};
struct Parsed {
  std::string url;
  double requests_per_second;
  std::uint64_t status_5xx;
  std::uint64_t unanswered;
  std::string last_error;
  Latency latency_microseconds;
};

TEST(BenchReport, names_http2_and_its_streams) {
  const LoadOptions options{.url = "http://a/", .connections = 8, .http2 = true, .streams = 4};
  EXPECT_THAT(as_text(options, sample), HasSubstr("http://a/, 8 connections, HTTP/2 with 4 at a time, 2.0 s, "));
  EXPECT_THAT(as_json(options, sample), HasSubstr(R"("protocol":"HTTP/2","connections":8,"streams":4,)"));
  EXPECT_THAT(as_json({.url = "http://a/"}, sample),
              HasSubstr(R"("protocol":"HTTP/1.1","connections":64,"streams":1,)"));
}

TEST(BenchReport, is_json_for_programs) {
  const auto parsed = json::read<Parsed>(as_json({.url = "http://a/\"b\""}, sample));
  ASSERT_TRUE(parsed) << as_json({.url = "http://a/"}, sample);
  EXPECT_EQ(parsed->url, "http://a/\"b\"");
  EXPECT_EQ(parsed->requests_per_second, 1500);
  EXPECT_EQ(parsed->status_5xx, 10U);
  EXPECT_EQ(parsed->unanswered, 2U);
  EXPECT_EQ(parsed->last_error, "Broken pipe");
  EXPECT_EQ(parsed->latency_microseconds.p50, 420);
  EXPECT_EQ(parsed->latency_microseconds.p999, 2'600'000);
}

}  // namespace
}  // namespace tern::command
