// What a server counts about itself, over HTTP/1.1 and WebSockets.
#include "server/figures.hpp"
#include "server/websocket_fixture.hpp"

#include <tern/async.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern::testing {
namespace {

class FiguresTest : public WebSocketTest {
protected:
  double figure(const std::string& key) { return Figures(running().server())[key]; }
  double becomes(const std::string& key, double value) { return figure_that_becomes(running().server(), key, value); }
};

TEST_F(FiguresTest, count_connections_by_protocol_and_state) {
  app.get("/wait", [this]() -> Task<std::string> {
    co_await gate.pass();
    co_return "done";
  });
  app.get("/", [] { return "hello"; });
  HttpClient busy = client();
  busy.get("/wait");
  ASSERT_TRUE(gate.await());
  HttpClient idle = client();
  EXPECT_EQ(idle.ask("/").status, 200);
  EXPECT_EQ(becomes("tern_connections http/1.1 active", 1), 1);
  EXPECT_EQ(figure("tern_connections http/1.1 idle"), 1);
  EXPECT_EQ(figure("tern_connections http/2 idle"), 0);
  EXPECT_EQ(figure("tern_connections_accepted"), 2);
  EXPECT_EQ(figure("tern_connections_closed"), 0);
  EXPECT_EQ(figure("http_server_active_requests 1.1"), 1);
  gate.open();
  EXPECT_EQ(busy.answer().status, 200);
  EXPECT_EQ(becomes("http_server_active_requests 1.1", 0), 0);
  idle.peer().close();
  EXPECT_EQ(becomes("tern_connections_closed", 1), 1);
  EXPECT_EQ(figure("tern_connections http/1.1 idle"), 1);
}

TEST_F(FiguresTest, count_each_fault_by_its_name) {
  app.get("/", [] { return "hello"; });
  for (const auto& [request, reason] : {std::pair("GET / HTTP/1.1\r\n\r\n", "no_host"),
                                        std::pair("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "two_hosts"),
                                        std::pair("GET / HTTP/1.1\r\nHost: a\r\nA : b\r\n\r\n", "blank_before_colon"),
                                        std::pair("GET / HTTP/9.9\r\nHost: a\r\n\r\n", "unknown_version")}) {
    HttpClient peer = client();
    peer.send(request);
    EXPECT_GE(peer.answer().status, 400) << request;
    EXPECT_EQ(figure("tern_refusals " + std::string(reason)), 1) << reason;
  }
  EXPECT_EQ(figure("tern_refusals bare_cr"), 0);
}

TEST_F(FiguresTest, count_the_limits_that_were_reached) {
  settings.head_timeout = Milliseconds(50);
  settings.limits.max_body_bytes = 10;
  app.post("/", [](Request& request) { return std::string(request.body()); });
  app.get("/slow",
          [this]() -> Task<std::string> {
            co_await gate.pass();
            co_return "late";
          })
      .limits({.handler_timeout = Milliseconds(30)});
  HttpClient large = client();
  large.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n");
  EXPECT_EQ(large.answer().status, 413);
  EXPECT_EQ(figure("tern_refusals content_too_large"), 1);
  HttpClient slow = client();
  slow.send("GET / HTTP/1.1\r\nHo");
  EXPECT_EQ(slow.answer().status, 408);
  EXPECT_EQ(figure("tern_refusals head_timeout"), 1);
  HttpClient late = client();
  late.get("/slow");
  EXPECT_EQ(late.answer().status, 503);
  EXPECT_EQ(figure("tern_refusals handler_timeout"), 1);
  gate.open();
}

TEST_F(FiguresTest, count_malformed_content) {
  app.post("/", [](Request& request) { return std::string(request.body()); });
  HttpClient peer = client();
  peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n");
  EXPECT_EQ(peer.answer().status, 400);
  EXPECT_EQ(figure("tern_refusals chunk_size"), 1);
  EXPECT_EQ(figure("tern_refusals content_malformed"), 1);
}

TEST_F(FiguresTest, count_requests_whose_client_has_left) {
  app.get("/wait", [this]() -> Task<std::string> {
    co_await gate.pass();
    co_return "done";
  });
  HttpClient peer = client();
  peer.get("/wait");
  ASSERT_TRUE(gate.await());
  peer.peer().close();
  EXPECT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
  gate.open();
  EXPECT_EQ(becomes("tern_requests_abandoned", 1), 1);
  EXPECT_EQ(becomes("http_server_active_requests 1.1", 0), 0);
}

TEST_F(FiguresTest, count_messages_of_websockets) {
  app.websocket("/", [](WebSocket socket) -> Task<> {
    while (auto message = co_await socket.receive()) {
      socket.send(message->content);
      socket.send("twice");
    }
  });
  WebSocketClient peer = socket();
  EXPECT_EQ(peer.connect("/").status, 101);
  peer.text("one");
  EXPECT_EQ(peer.next(), "text one");
  EXPECT_EQ(peer.next(), "text twice");
  EXPECT_EQ(becomes("tern_connections websocket active", 1), 1);
  EXPECT_EQ(figure("tern_connections http/1.1 idle"), 0);
  EXPECT_EQ(figure("tern_websockets_opened"), 1);
  EXPECT_EQ(figure("tern_websocket_messages_received"), 1);
  EXPECT_EQ(figure("tern_websocket_messages_sent"), 2);
  EXPECT_EQ(figure("tern_websocket_messages_dropped"), 0);
  EXPECT_EQ(becomes("tern_websocket_queued_bytes", 0), 0);
}

TEST_F(FiguresTest, count_what_slow_websockets_have_queued_and_lost) {
  app.websocket("/",
                [this](WebSocket socket) -> Task<> {
                  const std::string large(100'000, 'x');
                  while (socket.send(large) == SendStatus::Sent) {
                  }
                  co_await gate.pass();
                },
                {.max_queued = 1'000'000, .when_full = WhenFull::Drop});
  WebSocketClient peer = socket(4096);
  EXPECT_EQ(peer.connect("/").status, 101);
  ASSERT_TRUE(gate.await());
  EXPECT_EQ(figure("tern_websocket_messages_dropped"), 1);
  EXPECT_GT(figure("tern_websocket_messages_sent"), 9);
  EXPECT_GT(figure("tern_websocket_queued_bytes"), 500'000);
  peer.client().peer().close();
  gate.open();
  EXPECT_EQ(becomes("tern_websocket_queued_bytes", 0), 0);
}

TEST_F(FiguresTest, measure_how_busy_a_loop_is) {
  app.get("/block", [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(60);
    while (std::chrono::steady_clock::now() < end) {
    }
    return "done";
  });
  HttpClient peer = client();
  EXPECT_EQ(peer.ask("/block").status, 200);
  EXPECT_EQ(peer.ask("/block").status, 200);
  // The first is counted when its iteration has ended: before the second began.
  EXPECT_GE(figure("tern_loop_iteration_duration_seconds_sum"), 0.06);
  EXPECT_LT(figure("tern_loop_iteration_duration_seconds_sum"), 20);
  EXPECT_GT(figure("tern_loop_iteration_duration_seconds_count"), 1);
  EXPECT_GT(figure("tern_loop_system_calls recv"), 1);
}

TEST_F(FiguresTest, count_jobs_of_the_pool_and_their_waits) {
  Holder holder;
  app.get("/", holder.handler());
  settings.pool_threads = 1;
  HttpClient first = client();
  HttpClient second = client();
  first.get("/");
  second.get("/");
  EXPECT_EQ(becomes("tern_pool_running_jobs", 1), 1);
  EXPECT_EQ(becomes("tern_pool_queued_jobs", 1), 1);
  EXPECT_EQ(figure("tern_pool_threads"), 1);
  holder.let_go();
  EXPECT_EQ(first.answer().status, 200);
  EXPECT_EQ(second.answer().status, 200);
  EXPECT_EQ(becomes("tern_pool_jobs done", 2), 2);
  EXPECT_EQ(figure("tern_pool_wait_duration_seconds_count"), 2);
}

}  // namespace
}  // namespace tern::testing
