// Connections over HTTP/1.1, in one thread: what is served in which order, and what is read meanwhile.
#include "exchange/exchange_testing.hpp"
#include "exchange/http2.hpp"

#include <tern/coro/event.hpp>
#include <tern/coro/task.hpp>
#include <tern/http/writer.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace tern::exchange {
namespace {

class ConnectionTest : public ExchangeTest {
protected:
  ConnectionTest() {
    service.handler = [this](Exchange& exchange) -> Reply {
      targets.emplace_back(exchange.request().target());
      return Response::text("to " + targets.back());
    };
  }
  std::vector<std::string> targets;  // as they were served
};

Task<Response> answer_after(Event& event, std::string content) {
  co_await event;
  co_return Response::text(std::move(content));
}

TEST_F(ConnectionTest, a_pipeline_is_answered_in_order_with_one_send) {
  net::NonBlockingPeer peer = connect();
  EXPECT_EQ(contents_of(answer(peer, get("/1") + get("/2") + get("/3"))), "to /1,to /2,to /3,");
  EXPECT_EQ(loop.counters().sends.value(), 1U);
  EXPECT_EQ(loop.counters().receives.value(), 1U);
}

TEST_F(ConnectionTest, an_exchange_is_held_from_the_end_of_the_head_to_the_answer) {
  Event event;
  service.handler = [&event](Exchange&) { return Reply(answer_after(event, "late")); };
  net::NonBlockingPeer peer = connect();
  EXPECT_EQ(answer(peer, "GET / HTTP/1.1\r\nHos"), "");
  EXPECT_EQ(context.exchanges_in_use(), 0U);
  EXPECT_EQ(answer(peer, "t: a\r\n\r\n"), "");
  EXPECT_EQ(context.exchanges_in_use(), 1U);
  event.set();
  EXPECT_EQ(contents_of(answer(peer, "")), "late,");
  EXPECT_EQ(context.exchanges_in_use(), 0U);
}

TEST_F(ConnectionTest, a_waiting_handler_holds_back_the_next_request) {
  Event event;
  service.handler = [&](Exchange& exchange) -> Reply {
    targets.emplace_back(exchange.request().target());
    if (targets.back() == "/slow") return answer_after(event, "slow");
    return Response::text("quick");
  };
  net::NonBlockingPeer peer = connect();
  EXPECT_EQ(answer(peer, get("/slow") + get("/quick")), "");
  EXPECT_EQ(targets, std::vector<std::string>{"/slow"});
  event.set();
  turn();
  EXPECT_EQ(contents_of(peer.receive()), "slow,quick,");
}

TEST_F(ConnectionTest, answers_of_connections_that_resume_each_other_go_to_their_own_peers) {
  Event event;
  service.handler = [&](Exchange& exchange) -> Reply {
    if (exchange.request().target() == "/wait") return answer_after(event, "waited");
    event.set();
    return Response::text("resumed it");
  };
  net::NonBlockingPeer first = connect();
  net::NonBlockingPeer second = connect();
  EXPECT_EQ(answer(first, get("/wait")), "");
  EXPECT_EQ(contents_of(answer(second, get("/go") + get("/go"))), "resumed it,resumed it,");
  EXPECT_EQ(contents_of(first.receive()), "waited,");
}

TEST_F(ConnectionTest, a_peer_that_does_not_read_is_not_read_from) {
  service.handler = [this](Exchange& exchange) -> Reply {
    targets.emplace_back(exchange.request().target());
    return Response::text(std::string(64 * 1024, 'x'));
  };
  constexpr std::size_t count = 200;
  net::NonBlockingPeer peer = connect();
  std::string requests;
  for (std::size_t i = 0; i < count; ++i) requests += get("/");
  peer.send(requests);
  turn(20);
  const std::size_t served = targets.size();
  EXPECT_GT(served, 0U);
  EXPECT_LT(served, count / 4);
  EXPECT_LT(shared.memory.used(), 2 * 1024 * 1024U);
  std::size_t received = 0;
  for (int i = 0; i < 1000 && received < count * 64 * 1024; ++i) {
    received += peer.receive().size();
    turn(2);
  }
  EXPECT_EQ(targets.size(), count);
  EXPECT_GT(received, count * 64 * 1024);
}

TEST_F(ConnectionTest, nothing_is_answered_after_connection_close) {
  net::NonBlockingPeer peer = connect();
  const std::string answers = answer(peer, "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + get("/2"));
  EXPECT_EQ(contents_of(answers), "to /1,");
  EXPECT_EQ(targets, std::vector<std::string>{"/1"});
  EXPECT_TRUE(peer.ended());
  EXPECT_EQ(closed, 0);  // it reads on for a moment: a reset could discard the answer
  peer.send(get("/3"));
  peer.shutdown_write();
  turn();
  EXPECT_EQ(closed, 1);
  EXPECT_EQ(targets, std::vector<std::string>{"/1"});
}

TEST_F(ConnectionTest, a_malformed_request_is_refused_behind_the_answers_before_it) {
  net::NonBlockingPeer peer = connect();
  const std::string answers = answer(peer, get("/1") + "GET /2 HTTP/1.1\r\nHost : a\r\n\r\n");
  EXPECT_TRUE(answers.starts_with("HTTP/1.1 200 "));
  EXPECT_NE(answers.find("HTTP/1.1 400 "), answers.npos);
  EXPECT_TRUE(peer.ended());
  EXPECT_EQ(targets, std::vector<std::string>{"/1"});
}

TEST_F(ConnectionTest, the_end_of_a_client_stops_its_handler) {
  Event event;
  bool stopped = false;
  service.handler = [&](Exchange& exchange) {
    const auto wait = [](Exchange& waiting, Event& forever, bool& seen) -> Task<Response> {
      try {
        co_await forever;
      } catch (const Cancelled&) {
        seen = waiting.stop().stop_requested();
      }
      co_return Response();
    };
    return Reply(wait(exchange, event, stopped));
  };
  net::NonBlockingPeer peer = connect();
  peer.send(get("/"));
  turn();
  EXPECT_FALSE(stopped);
  peer.shutdown_write();
  turn();
  EXPECT_TRUE(stopped);
  EXPECT_EQ(context.exchanges_in_use(), 0U);
}

TEST_F(ConnectionTest, a_client_may_end_its_side_where_half_closing_is_allowed) {
  Event event;
  settings.limits.half_close = true;
  service.handler = [&](Exchange& exchange) {
    Limits limits = exchange.limits();
    limits.half_close = true;
    exchange.limit(limits);
    return Reply(answer_after(event, "still here"));
  };
  net::NonBlockingPeer peer = connect();
  peer.send(get("/"));
  peer.shutdown_write();
  turn();
  event.set();
  turn();
  EXPECT_EQ(contents_of(peer.receive()), "still here,");
  EXPECT_TRUE(peer.ended());
}

TEST_F(ConnectionTest, a_producer_that_fails_leaves_the_last_chunk_out) {
  service.handler = [](Exchange&) -> Reply {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      co_await writer.write("part");
      throw std::runtime_error("the disk is gone");
    });
  };
  net::NonBlockingPeer peer = connect();
  const std::string answers = answer(peer, get("/"));
  EXPECT_NE(answers.find("\r\n\r\n4\r\npart\r\n"), answers.npos) << answers;
  EXPECT_EQ(answers.find("0\r\n\r\n"), answers.npos);
  EXPECT_TRUE(peer.ended());
}

TEST_F(ConnectionTest, a_preface_makes_it_an_http2_connection) {
  net::NonBlockingPeer peer = connect();
  const std::string empty_settings("\0\0\0\4\0\0\0\0\0", 9);
  const std::string answers = answer(peer, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + empty_settings);
  if (has_http2()) {
    ASSERT_GE(answers.size(), 9U);
    EXPECT_EQ(answers[3], 4);  // SETTINGS
    EXPECT_FALSE(peer.ended());
  } else {
    EXPECT_TRUE(answers.starts_with("HTTP/1.1 505 ")) << answers;
  }
  EXPECT_EQ(targets, std::vector<std::string>{});
}

// --- Drain ---

TEST_F(ConnectionTest, a_drain_answers_what_was_received_and_closes) {
  Event event;
  service.handler = [&](Exchange& exchange) -> Reply {
    if (exchange.request().target() == "/slow") return answer_after(event, "slow");
    return Response::text("quick");
  };
  net::NonBlockingPeer peer = connect();
  EXPECT_EQ(answer(peer, get("/slow") + get("/quick")), "");
  context.drain();
  event.set();
  turn();
  const std::string answers = peer.receive();
  EXPECT_EQ(contents_of(answers), "slow,quick,");
  const std::size_t first = answers.find("Connection: close");
  ASSERT_NE(first, answers.npos) << answers;
  EXPECT_GT(first, answers.find("slow"));  // on the last one only
  EXPECT_TRUE(peer.ended());
}

TEST_F(ConnectionTest, an_idle_connection_may_send_one_request_during_a_drain) {
  net::NonBlockingPeer peer = connect();
  EXPECT_EQ(contents_of(answer(peer, get("/1"))), "to /1,");
  context.drain();
  turn();
  EXPECT_EQ(peer.receive(), "");
  EXPECT_FALSE(peer.ended());
  const std::string last = answer(peer, get("/2"));
  EXPECT_NE(last.find("Connection: close"), last.npos) << last;
  EXPECT_TRUE(peer.ended());
}

// --- Memory ---

class SmallBudgetTest : public ExchangeTest {
protected:
  SmallBudgetTest() : ExchangeTest({.buffered = 64 * 1024}) {}
};

TEST_F(SmallBudgetTest, an_answer_that_does_not_fit_becomes_a_503) {
  service.handler = [](Exchange&) -> Reply { return Response::text(std::string(1024 * 1024, 'x')); };
  net::NonBlockingPeer peer = connect();
  EXPECT_TRUE(answer(peer, get("/")).starts_with("HTTP/1.1 503 "));
  EXPECT_EQ(shared.memory.used(), 0U);
}

TEST_F(SmallBudgetTest, what_a_peer_has_not_read_counts_until_it_does) {
  service.handler = [](Exchange&) -> Reply { return Response::text(std::string(60 * 1024, 'x')); };
  net::NonBlockingPeer peer = connect();
  for (int i = 0; i < 20 && shared.memory.used() == 0; ++i) {
    peer.send(get("/"));
    turn();
  }
  EXPECT_GT(shared.memory.used(), 0U);
  for (int i = 0; i < 100 && shared.memory.used() != 0; ++i) {
    (void)peer.receive();
    turn(1);
  }
  EXPECT_EQ(shared.memory.used(), 0U);
}

TEST_F(SmallBudgetTest, content_that_does_not_fit_is_refused) {
  service.handler = [](Exchange& exchange) {
    const auto collect = [](Exchange& collecting) -> Task<Response> {
      const auto read = co_await read_body(collecting);
      co_return Response(read ? Status::Ok : to_problem(read.error()).status);
    };
    return Reply(collect(exchange));
  };
  net::NonBlockingPeer peer = connect();
  peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + std::string(100'000, 'x'));
  turn(20);
  EXPECT_TRUE(peer.receive().starts_with("HTTP/1.1 503 "));
  EXPECT_EQ(shared.memory.used(), 0U);
}

}  // namespace
}  // namespace tern::exchange
