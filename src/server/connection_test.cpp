// A service without App uses its exchanges, over a socket.
#include "server/server.hpp"

#include "net/test_peer.hpp"

#include <tern/coro/timeout.hpp>

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
    exchange.set_service(*this);
    return handler(exchange);
  }
  Response refuse(const Problem& problem) const noexcept override { return Response(problem.status); }

  std::function<Reply(Exchange&)> handler;
};

// Waits for the next iteration of the loop.
struct NextRound {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const {
    Executor::current()->post([handle] { handle.resume(); });
  }
  void await_resume() const noexcept {}
};

// Waits for content, as streaming handlers do.
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

  net::Peer connect(exchange::Settings settings = {}) {
    if (!server_) {
      LogOptions log;
      log.level = LogLevel::Off;
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
    co_await NextRound{};  // the received bytes are overwritten by now
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

Task<Response> collect_and_tell(Exchange& exchange) {
  const auto read = co_await read_body(exchange);
  if (!read) co_return Response(to_problem(read.error()).status);
  const std::string_view body = exchange.request().body();
  co_return Response::text(std::to_string(body.size()) + (body.find_first_not_of('x') == body.npos ? " x" : ""));
}

TEST_F(ConnectionTest, what_follows_large_content_is_the_next_request) {
  service.handler = [](Exchange& exchange) { return Reply(collect_and_tell(exchange)); };
  net::Peer peer = connect();
  std::string all;
  for (int i = 0; i < 3; ++i) {
    all += "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n" + std::string(3'000'000, 'x');
    all += "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n" + std::string(200'000, 'x');
    all += "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  }
  peer.send(all + post + "Content-Length: 5\r\n\r\nabcde");
  std::string contents;
  std::string answers = peer.receive_all();
  for (std::size_t at = answers.find("\r\n\r\n"); at != answers.npos; at = answers.find("\r\n\r\n", at + 4)) {
    contents += answers.substr(at + 4, answers.find("HTTP/1.1", at) - at - 4) + ',';
  }
  EXPECT_EQ(contents, "3000000 x,200000 x,0 x,3000000 x,200000 x,0 x,3000000 x,200000 x,0 x,5,");
}

TEST_F(ConnectionTest, an_announcement_alone_reserves_nothing) {
  std::atomic<std::size_t> room = 0;
  service.handler = [&room](Exchange& exchange) {
    const auto look = [](Exchange& looked, std::atomic<std::size_t>& found) -> Task<Response> {
      const auto read = co_await read_body(looked);
      found = looked.request().collected_body().capacity();
      co_return Response(read ? Status::Ok : Status::BadRequest);
    };
    return Reply(look(exchange, room));
  };
  net::Peer peer = connect();
  peer.send(post + "Content-Length: 10000000\r\n\r\n" + std::string(100'000, 'x'));
  peer.shutdown_write();
  EXPECT_TRUE(peer.receive_all().starts_with("HTTP/1.1 400 "));
  EXPECT_GE(room.load(), 100'000U);
  EXPECT_LE(room.load(), 17 * 100'000U + 1'000'000U);
}

// Stops collecting on demand, and continues to read in pieces.
Task<Response> collect_and_read_on(Exchange& exchange, std::atomic<bool>& given_up) {
  try {
    co_await with_timeout(Milliseconds(1), read_body(exchange));
  } catch (const TimedOut&) {
  }
  const std::size_t collected = exchange.request().collected_body().size();
  given_up = true;
  std::size_t read = 0;
  while (true) {
    const Readable readable{exchange};
    co_await readable;
    const auto piece = exchange.read();
    if (!piece) co_return Response(to_problem(piece.error()).status);
    if (piece->empty()) break;
    read += piece->size();
  }
  co_return Response::text(std::to_string(collected + read));
}

TEST_F(ConnectionTest, large_content_can_be_read_on_by_who_gives_up_collecting_it) {
  std::atomic<bool> given_up = false;
  service.handler = [&given_up](Exchange& exchange) { return Reply(collect_and_read_on(exchange, given_up)); };
  net::Peer peer = connect();
  peer.send(post + "Content-Length: 3000000\r\n\r\n" + std::string(100'000, 'x'));
  while (!given_up) ::sched_yield();
  peer.send(std::string(2'900'000, 'x'));
  EXPECT_EQ(content_of(peer.receive_all()), "3000000");
}

// Continues after its client has disconnected, and reads the data that is left.
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
