// The same application over HTTP/2: what HTTP/1.1's tests ask of requests, content, streams, limits, timeouts and ends.
#include "server/http2_client.hpp"

#include "server/app_test.hpp"
#include "server/desk.hpp"

#include <tern/http/event_stream.hpp>

#include <atomic>
#include <string>
#include <vector>

namespace tern::testing {
namespace {

constexpr Milliseconds soon{60};

class Http2 : public DeskTest {
protected:
  Http2Client client(std::uint32_t window = 65535, int receive_buffer = 0) {
    return Http2Client(running().port(), window, receive_buffer);
  }
  bool all_ended() {
    return running().eventually([this] { return running().worker().exchanges_in_use() == 0; });
  }
};

class Http2App : public AppTest {
protected:
  Http2Client client(std::uint32_t window = 65535, int receive_buffer = 0) {
    return Http2Client(running().port(), window, receive_buffer);
  }
};

TEST_F(Http2, answers_as_http1_does) {
  Http2Client client = this->client();
  const auto& hello = client.ask("/hello");
  EXPECT_EQ(hello.status, 200);
  EXPECT_EQ(hello.content, "Hello, World!");
  EXPECT_EQ(hello.field("content-length"), "13");
  EXPECT_EQ(hello.field("content-type"), "text/plain; charset=utf-8");
  EXPECT_NE(hello.field("date"), "");
  EXPECT_EQ(client.ask("/user/caf%C3%A9").content, "caf\xC3\xA9");
  EXPECT_EQ(client.ask("/nothing").status, 404);
  EXPECT_EQ(client.answer(client.post("/hello", "")).status, 405);
  EXPECT_EQ(client.ask("/throws").status, 500);
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2, many_streams_at_once_in_any_order) {
  Http2Client client = this->client();
  std::vector<std::int32_t> late;
  for (int i = 0; i < 50; ++i) late.push_back(client.get("/late/" + std::to_string(i)));
  EXPECT_EQ(client.ask("/hello").status, 200) << "nobody waits behind another";
  ASSERT_TRUE(desk.gate.await(50));
  desk.gate.open();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.answer(late[static_cast<std::size_t>(i)]).content, std::to_string(i));
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2, head_has_the_fields_and_no_content) {
  Http2Client client = this->client();
  const auto& answer = client.answer(client.request("HEAD", "/hello"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("content-length"), "13");
  EXPECT_EQ(answer.content, "");
}

TEST_F(Http2, content_of_every_size_both_ways) {
  Http2Client client = this->client();
  for (const std::size_t size : {0U, 1U, 9U, 16383U, 16384U, 16385U, 65535U, 65536U, 262144U, 262145U, 3'000'000U}) {
    const auto& answer = client.answer(client.post("/echo", pattern(size)));
    EXPECT_EQ(answer.status, 200);
    EXPECT_TRUE(answer.content == pattern(size)) << size;
  }
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2, content_in_pieces) {
  Http2Client client = this->client();
  const auto id = client.request("POST", "/echo", {}, {}, false);
  std::string all;
  for (int i = 0; i < 50; ++i) {
    client.send(id, std::to_string(i));
    running().on_loop([] {});
    all += std::to_string(i);
  }
  client.send(id, "", true);
  EXPECT_EQ(client.answer(id).content, all);
}

TEST_F(Http2, content_waits_outside_while_the_handler_is_held_up) {
  Http2Client client = this->client();
  const auto id = client.post("/gated/echo", pattern(2'000'000));
  ASSERT_TRUE(desk.gate.await());
  EXPECT_EQ(client.ask("/hello").status, 200) << "its window is its own";
  desk.gate.open();
  EXPECT_TRUE(client.answer(id).content == pattern(2'000'000));
}

TEST_F(Http2, content_is_asked_for_once_the_handler_wants_it) {
  Http2Client client = this->client();
  const auto id = client.request("POST", "/echo", {{"expect", "100-continue"}}, {}, false);
  ASSERT_TRUE(client.until([&] { return client.http2().at(id).status == 100; }));
  client.send(id, "content", true);
  EXPECT_EQ(client.answer(id).content, "content");
  const auto unread = client.request("POST", "/unread", {{"expect", "100-continue"}}, {}, false);
  EXPECT_EQ(client.answer(unread).content, "not looked at");
  EXPECT_TRUE(client.http2().at(unread).interim.empty());
}

TEST_F(Http2, content_that_is_too_large_is_refused) {
  Http2Client client = this->client();
  const auto announced = client.request("POST", "/small", {{"content-length", "101"}}, {}, false);
  EXPECT_EQ(client.answer(announced).status, 413);
  EXPECT_EQ(client.answer(client.post("/small", std::string(101, 'x'))).status, 413);
  EXPECT_EQ(client.answer(client.post("/small", std::string(100, 'x'))).status, 200);
}

TEST_F(Http2, a_slow_reader_stops_only_its_own_stream) {
  Http2Client client = this->client(0);             // nothing until it is asked for
  client.answer(client.request("HEAD", "/hello"));  // the server knows by then
  const auto slow = client.get("/large/1000000");
  const auto other = client.get("/hello");
  nghttp2_session_set_local_window_size(client.http2().session(), NGHTTP2_FLAG_NONE, other, 1000);
  EXPECT_EQ(client.answer(other).content, "Hello, World!");
  EXPECT_EQ(client.http2().at(slow).content, "");
  nghttp2_session_set_local_window_size(client.http2().session(), NGHTTP2_FLAG_NONE, slow, 1 << 20);
  nghttp2_session_set_local_window_size(client.http2().session(), NGHTTP2_FLAG_NONE, 0, 1 << 21);
  EXPECT_TRUE(client.answer(slow).content == pattern(1'000'000));
}

TEST_F(Http2, refuses_with_problems) {
  Http2Client client = this->client();
  const auto& fragment = client.ask("/a#b");
  EXPECT_EQ(fragment.status, 400);
  EXPECT_EQ(fragment.field("content-type"), "application/problem+json");
  EXPECT_EQ(client.ask("/hello", http2::FieldPairs(101, {"x", "y"})).status, 431);
  EXPECT_EQ(client.ask("/hello").status, 200);
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2, a_reset_fires_the_stop_token) {
  Http2Client client = this->client();
  const auto id = client.get("/stopped");
  ASSERT_TRUE(desk.gate.await());
  client.reset(id);
  EXPECT_EQ(client.ask("/hello").status, 200);
  desk.gate.open();
  EXPECT_TRUE(all_ended());
  EXPECT_TRUE(desk.stopped);
}

TEST_F(Http2, a_connection_that_breaks_fires_all_stop_tokens) {
  Http2Client client = this->client();
  client.get("/stopped");
  client.get("/late/x");
  client.request("POST", "/echo", {}, "half", false);
  ASSERT_TRUE(desk.gate.await(2));
  client.peer().reset();
  ASSERT_TRUE(running().eventually([this] { return running().worker().exchanges_in_use() == 2; }));
  desk.gate.open();
  EXPECT_TRUE(all_ended());
  EXPECT_TRUE(desk.stopped);
}

TEST_F(Http2, an_end_of_the_clients_side_lets_the_answers_come) {
  Http2Client client = this->client();
  const auto id = client.get("/late/x");
  const auto half = client.request("POST", "/echo", {}, "half", false);
  ASSERT_TRUE(desk.gate.await());
  client.peer().shutdown_write();
  running().on_loop([] {});
  desk.gate.open();
  EXPECT_EQ(client.answer(id).content, "x");
  EXPECT_NE(client.answer(half).status, 200);
  EXPECT_FALSE(client.until([] { return false; }));
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2, http1_and_upgrades_are_as_before) {
  Client plain(running().port());
  plain.get("/hello", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n");
  const Answer answer = plain.answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "Hello, World!");
  plain.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  EXPECT_EQ(plain.answer().status, 505) << "only at the beginning";
}

TEST_F(Http2, the_preface_may_come_byte_by_byte) {
  Client plain(running().port());
  plain.send_bytewise(http2::greeting());
  EXPECT_EQ(plain.take(9).substr(3, 2), std::string("\x04\0", 2)) << "settings";
}

TEST_F(Http2, can_be_off) {
  server::Settings settings;
  settings.prior_knowledge = false;
  serve(settings);
  Client plain(running().port());
  plain.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  EXPECT_EQ(plain.answer().status, 505);
}

TEST_F(Http2, a_client_that_says_no_more_than_the_preface_is_closed) {
  serve({.head_timeout = soon});
  Client plain(running().port());
  plain.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  EXPECT_TRUE(plain.is_gone());
}

TEST_F(Http2, half_a_head_is_not_waited_for_longer_than_a_whole_one) {
  serve({.head_timeout = soon});
  Http2Client client = this->client();
  EXPECT_EQ(client.ask("/hello").status, 200);
  client.send_frames(http2::frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_STREAM, 3, http2::get_block()));
  EXPECT_TRUE(client.ends_with(NGHTTP2_ENHANCE_YOUR_CALM));
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2, an_idle_connection_is_told_and_closed) {
  serve({.idle_timeout = soon});
  Http2Client client = this->client();
  EXPECT_EQ(client.ask("/hello").status, 200);
  EXPECT_TRUE(client.ends_with(NGHTTP2_NO_ERROR));
}

TEST_F(Http2, content_that_does_not_come_is_given_up) {
  serve({.grace = soon});
  Http2Client client = this->client();
  const auto id = client.request("POST", "/echo", {}, "half", false);
  EXPECT_EQ(client.answer(id).status, 408);
  EXPECT_EQ(client.ask("/hello").status, 200) << "the others are not touched";
}

TEST_F(Http2, an_answer_that_is_not_read_is_given_up) {
  serve({.grace = soon});
  Http2Client client = this->client(0);
  const auto id = client.get("/large/100000");
  client.answer(id);
  EXPECT_TRUE(client.http2().at(id).closed);
  EXPECT_EQ(client.http2().at(id).error, std::uint32_t{NGHTTP2_CANCEL});
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2, a_drain_says_goaway_and_lets_answers_come) {
  Http2Client client = this->client();
  const auto id = client.get("/late/x");
  ASSERT_TRUE(desk.gate.await());
  running().drain();
  ASSERT_TRUE(client.until([&] { return client.http2().goaway() == 0; }));
  ASSERT_TRUE(client.until([&] { return client.http2().last_stream() == id; }));
  desk.gate.open();
  EXPECT_EQ(client.answer(id).content, "x");
  EXPECT_FALSE(client.until([] { return false; }));
  client.peer().close();
  running().wait();
}

TEST_F(Http2, a_drain_ends_idle_connections) {
  Http2Client client = this->client();
  EXPECT_EQ(client.ask("/hello").status, 200);
  running().drain();
  EXPECT_TRUE(client.ends_with(NGHTTP2_NO_ERROR));
  client.peer().close();
  running().wait();
}

TEST_F(Http2, floods_end_the_connection_and_nothing_else) {
  Http2Client other = this->client();
  Client attacker(running().port());
  std::string bytes = http2::greeting();
  for (std::uint32_t id = 1; id < 20000; id += 2) {
    bytes += http2::frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_STREAM | NGHTTP2_FLAG_END_HEADERS, id, http2::get_block());
    bytes += http2::frame(NGHTTP2_RST_STREAM, 0, id, std::string("\0\0\0\x08", 4));
  }
  attacker.send(bytes);
  EXPECT_TRUE(attacker.is_gone());
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(other.ask("/hello").status, 200);
}

// --- Streams ---

TEST_F(Http2App, pieces_arrive_before_the_producer_has_ended) {
  app.get("/", [this] {
    return Response::stream("text/plain", [this](Writer& writer) -> Task<> {
      co_await writer.write("one ");
      co_await gate.pass();
      co_await writer.write("two");
      writer.trailers().set("X-Sum", "7");
    });
  });
  Http2Client client = this->client();
  const auto id = client.get("/");
  ASSERT_TRUE(client.until([&] { return client.http2().at(id).content == "one "; }));
  ASSERT_TRUE(gate.await());
  gate.open();
  EXPECT_EQ(client.answer(id).content, "one two");
  EXPECT_EQ(client.http2().at(id).trailers, (http2::FieldPairs{{"x-sum", "7"}}));
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2App, head_runs_no_producer) {
  std::atomic<int> runs = 0;
  app.get("/", [&runs] {
    return Response::stream("text/plain", [&runs](Writer& writer) -> Task<> {
      ++runs;
      co_await writer.write("x");
    });
  });
  Http2Client client = this->client();
  EXPECT_EQ(client.answer(client.request("HEAD", "/")).status, 200);
  EXPECT_EQ(client.ask("/").content, "x");
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2App, a_client_that_does_not_read_stops_the_producer) {
  std::atomic<std::size_t> written = 0;
  std::atomic<int> ended = 0;
  constexpr std::size_t all = 64 * 1024 * 1024;
  app.get("/", [&] {
    return Response::stream("text/plain", [&](Writer& writer) -> Task<> {
      const std::string piece(64 * 1024, 'x');
      for (std::size_t i = 0; i < all / piece.size(); ++i) {
        written += piece.size();
        co_await writer.write(piece);
      }
      ++ended;
    });
  });
  app.get("/other", [] { return "other"; });
  Http2Client client = this->client(1000);
  const auto id = client.get("/");
  ASSERT_TRUE(client.until([&] { return client.http2().at(id).content.size() >= 1000; }));
  EXPECT_EQ(client.ask("/other").content, "other");
  EXPECT_LT(written, 2U * 1024 * 1024);
  EXPECT_EQ(ended, 0);
  client.reset(id);
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(ended, 0);
}

TEST_F(Http2App, a_large_stream_arrives_whole) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      const std::string all = pattern(5'000'000);
      for (std::size_t at = 0; at < all.size(); at += 70'001) co_await writer.write(all.substr(at, 70'001));
    });
  });
  Http2Client client = this->client();
  EXPECT_TRUE(client.ask("/").content == pattern(5'000'000));
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2App, a_producer_that_fails_resets_its_stream) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      co_await writer.write("some");
      throw std::runtime_error("broken");
    });
  });
  app.get("/other", [] { return "other"; });
  Http2Client client = this->client();
  const auto& answer = client.ask("/");
  EXPECT_FALSE(answer.ended);
  EXPECT_EQ(answer.error, std::uint32_t{NGHTTP2_INTERNAL_ERROR});
  EXPECT_EQ(client.ask("/other").content, "other");
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2App, a_body_stream_is_read_as_it_comes_and_slows_its_client_down) {
  std::atomic<std::size_t> read = 0;
  app.post("/", [&](BodyStream body) -> Task<std::string> {
    while (auto piece = co_await body.next()) {
      read += piece->size();
      if (read == piece->size()) co_await gate.pass();  // after the first
    }
    co_return std::to_string(read);
  });
  Http2Client client = this->client();
  const auto id = client.post("/", pattern(20'000'000));
  ASSERT_TRUE(gate.await());
  const std::size_t window = settings.http2.stream_window;
  EXPECT_LE(read, window);
  gate.open();
  EXPECT_EQ(client.answer(id).content, "20000000");
}

TEST_F(Http2App, a_body_stream_whose_stream_is_reset_ends) {
  std::atomic<int> cancelled = 0;
  app.post("/", [&](BodyStream body) -> Task<std::string> {
    try {
      while (co_await body.next()) {
      }
    } catch (const Cancelled&) {
      ++cancelled;
      throw;
    }
    co_return "whole";
  });
  Http2Client client = this->client();
  const auto id = client.request("POST", "/", {}, "some", false);
  ASSERT_TRUE(running().eventually([this] { return running().worker().exchanges_in_use() == 1; }));
  client.reset(id);
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(cancelled, 1);
}

TEST_F(Http2App, a_handler_that_takes_too_long_is_answered_for) {
  app.get("/",
          [this]() -> Task<std::string> {
            co_await gate.pass();
            co_return "late";
          })
      .limits({.answer = soon});
  app.get("/other", [] { return "other"; });
  Http2Client client = this->client();
  EXPECT_EQ(client.ask("/").status, 503);
  EXPECT_EQ(client.ask("/other").content, "other");
  gate.open();
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2App, work_after_the_response_comes_behind_its_last_byte) {
  std::atomic<int> done = 0;
  app.get("/{size}", [&done](std::size_t size) { return Response::text(pattern(size)).after([&done] { ++done; }); });
  Http2Client client = this->client(0);
  const auto id = client.get("/5000");
  ASSERT_TRUE(client.until([&] { return client.http2().at(id).status == 200; }));
  EXPECT_EQ(done, 0);
  nghttp2_session_set_local_window_size(client.http2().session(), NGHTTP2_FLAG_NONE, id, 10000);
  EXPECT_EQ(client.answer(id).content.size(), 5000U);
  EXPECT_TRUE(running().eventually([&done] { return done == 1; }));
}

TEST_F(Http2App, early_hints_come_before_the_answer) {
  app.get("/", [](Request& request) -> Task<std::string> {
    Fields fields;
    fields.set("Link", "</a.css>; rel=preload");
    request.exchange().inform(Status::EarlyHints, fields);
    co_await sleep_for(Milliseconds(1));
    co_return "answer";
  });
  Http2Client client = this->client();
  const auto& answer = client.ask("/");
  EXPECT_EQ(answer.interim, (std::vector<int>{103}));
  EXPECT_EQ(answer.content, "answer");
}

TEST_F(Http2App, events_end_when_the_server_stops) {
  app.get("/", [] {
    return event_stream([](EventStream& events) -> Task<> {
      co_await events.send("first");
      while (true) co_await sleep_for(Seconds(3600));
    });
  });
  Http2Client client = this->client();
  const auto id = client.get("/");
  ASSERT_TRUE(client.until([&] { return client.http2().at(id).content == "data: first\n\n"; }));
  running().drain();
  client.answer(id);
  EXPECT_FALSE(client.until([] { return false; }));
  client.peer().close();
  running().wait();
}

TEST_F(Http2App, the_request_tells_its_version_and_host) {
  app.get("/", [](Request& request) {
    return std::string(request.version() == Version::Http2 ? "2 " : "1 ") + std::string(request.host()) + " " +
           std::string(request.scheme()) + " " + std::string(request.remote());
  });
  EXPECT_EQ(client().ask("/").content, "2 a http 127.0.0.1");
}

}  // namespace
}  // namespace tern::testing
