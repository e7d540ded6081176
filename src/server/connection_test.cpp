// What a service that is no App may do with its exchanges, over a socket.
#include "server/server.hpp"

#include "net/test_peer.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <coroutine>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace tern::server {
namespace {

struct TestService final : Service {
  Reply serve(Exchange& exchange) const noexcept override {
    exchange.served_by(*this);
    return handler(exchange);
  }
  Response refuse(const Problem& problem) const noexcept override { return Response(problem.status); }

  std::function<Reply(Exchange&)> handler;
};

// Lets the loop go round once.
struct NextRound {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const {
    Executor::current()->post([handle] { handle.resume(); });
  }
  void await_resume() const noexcept {}
};

// Waits for content, as those who stream it do.
struct Readable {
  Exchange& exchange;
  bool await_ready() const { return exchange.readable(); }
  void await_suspend(std::coroutine_handle<> waiting) const { exchange.when_readable(waiting); }
  void await_resume() const noexcept {}
};

class ConnectionTest : public ::testing::Test {
protected:
  ~ConnectionTest() override {
    if (server_) server_->stop(Milliseconds(0));
  }

  net::Peer connect(Settings settings = {}) {
    if (!server_) {
      Log::Options log;
      log.level = Severity::Off;
      server_ = std::make_unique<Server>(service, std::move(settings), log);
      EXPECT_TRUE(server_->listen({{{.host = "127.0.0.1", .port = 0}}}, 1));
      server_->start();
    }
    return net::Peer::connect(*net::Address::parse("127.0.0.1", server_->port()));
  }
  static std::string content_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

  TestService service;

private:
  std::unique_ptr<Server> server_;
};

const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";

Task<Response> look_wait_and_read(Exchange& exchange) {
  std::string content;
  while (true) {
    const Readable readable{exchange};
    co_await readable;
    co_await NextRound{};  // the bytes that were there are gone by now
    co_await NextRound{};
    const auto piece = exchange.read();
    if (!piece) co_return Response(to_problem(piece.error()).status);
    if (piece->empty()) break;
    content += *piece;
  }
  co_return Response::text(std::move(content));
}

TEST_F(ConnectionTest, content_that_was_seen_but_not_read_waits_for_its_reader) {
  service.handler = [](Exchange& exchange) { return Reply(look_wait_and_read(exchange)); };
  const std::string whole(50'000, 'x');
  net::Peer peer = connect();
  peer.send(post + "Content-Length: 50004\r\n\r\n" + whole);
  net::Peer other = connect();  // its bytes overwrite the loop's buffer
  other.send(post + "Content-Length: 50000\r\n\r\n" + std::string(50'000, 'y'));
  EXPECT_TRUE(content_of(other.receive_all()) == std::string(50'000, 'y'));
  peer.send("tail");
  EXPECT_TRUE(content_of(peer.receive_all()) == whole + "tail");
}

TEST_F(ConnectionTest, an_answer_before_the_content_is_read_lets_the_answer_be_seen) {
  service.handler = [](Exchange& exchange) -> Reply {
    if (!exchange.readable()) return Response(Status::Accepted);
    return Response(Status::Ok);
  };
  net::Peer peer = connect();
  peer.send(post + "Content-Length: 100\r\n\r\n");
  EXPECT_TRUE(peer.receive_all().starts_with("HTTP/1.1 202 "));
}

TEST_F(ConnectionTest, interim_answers_come_before_the_final_one) {
  service.handler = [](Exchange& exchange) -> Reply {
    Fields fields;
    fields.add("link", "</style.css>; rel=preload");
    exchange.inform(static_cast<Status>(103), fields);
    return Response::text("done");
  };
  net::Peer peer = connect();
  peer.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const std::string all = peer.receive_all();
  EXPECT_TRUE(all.starts_with("HTTP/1.1 103 "));
  EXPECT_NE(all.find("\r\n\r\nHTTP/1.1 200 OK\r\n"), std::string::npos) << all;
}

// Runs on when its client has gone, and looks at what is left.
Task<Response> outlive(Exchange& exchange, std::atomic<bool>& started, std::function<void(Exchange&)> look,
                       std::atomic<bool>& ended) {
  started = true;
  while (!exchange.stop().stop_requested()) {
    const NextRound next;
    co_await next;
  }
  look(exchange);
  ended = true;
  co_return Response();
}

TEST_F(ConnectionTest, the_exchange_outlives_its_peer) {
  std::atomic<bool> started = false;
  std::atomic<bool> ended = false;
  std::string content;
  const auto look = [&content](Exchange& exchange) {
    EXPECT_EQ(exchange.remote(), "127.0.0.1");
    EXPECT_EQ(exchange.request().target(), "/target");
    EXPECT_EQ(exchange.request().host(), "a");
    const auto piece = exchange.read();  // it was complete before
    EXPECT_TRUE(piece.has_value());
    if (piece) content = *piece;
  };
  service.handler = [&](Exchange& exchange) { return Reply(outlive(exchange, started, look, ended)); };
  net::Peer peer = connect();
  peer.send("POST /target HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
  while (!started) ::sched_yield();
  peer.reset();
  while (!ended) ::sched_yield();
  EXPECT_EQ(content, "hello");
}

TEST_F(ConnectionTest, content_that_was_not_complete_ends_in_an_error) {
  std::atomic<bool> started = false;
  std::atomic<bool> ended = false;
  const auto look = [](Exchange& exchange) {
    const auto piece = exchange.read();
    ASSERT_FALSE(piece.has_value());
    EXPECT_EQ(piece.error(), StreamError::Disconnected);
  };
  service.handler = [&](Exchange& exchange) { return Reply(outlive(exchange, started, look, ended)); };
  net::Peer peer = connect();
  peer.send("POST /target HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nhello");
  while (!started) ::sched_yield();
  peer.reset();
  while (!ended) ::sched_yield();
}

}  // namespace
}  // namespace tern::server
