// What is HTTP/2's own: several streams, windows, resets, prefaces, GOAWAY. (What is the same over every protocol is in
// tests/transports.)
#include "server/http2_client.hpp"

#include "server/app_test.hpp"
#include "server/test_app.hpp"

#include <tern/http/event_stream.hpp>

#include <atomic>
#include <string>
#include <vector>

namespace tern::testing {
namespace {

constexpr Milliseconds soon{60};

class Http2 : public TestAppTest {
protected:
  Http2Client client(std::uint32_t window = 65535, int receive_buffer = 0) {
    return Http2Client(running().port(), window, receive_buffer);
  }
  bool all_ended() {
    return running().eventually([this] { return running().worker().context().exchanges_in_use() == 0; });
  }
};

class Http2App : public AppTest {
protected:
  Http2Client client(std::uint32_t window = 65535, int receive_buffer = 0) {
    return Http2Client(running().port(), window, receive_buffer);
  }
};

TEST_F(Http2, many_streams_at_once_in_any_order) {
  Http2Client client = this->client();
  std::vector<std::int32_t> late;
  for (int i = 0; i < 50; ++i) late.push_back(client.get("/late/" + std::to_string(i)));
  EXPECT_EQ(client.ask("/hello").status, 200) << "no request waits for another";
  ASSERT_TRUE(test_app.gate.await(50));
  test_app.gate.open();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.answer(late[static_cast<std::size_t>(i)]).content, std::to_string(i));
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2, content_waits_outside_while_the_handler_is_blocked) {
  Http2Client client = this->client();
  const auto id = client.post("/gated/echo", pattern(2'000'000));
  ASSERT_TRUE(test_app.gate.await());
  EXPECT_EQ(client.ask("/hello").status, 200) << "its window is its own";
  test_app.gate.open();
  EXPECT_TRUE(client.answer(id).content == pattern(2'000'000));
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
  EXPECT_EQ(client.answer(client.http2().send_head({{":method", "CONNECT"}, {":authority", "a:443"}})).status, 501);
  EXPECT_EQ(client.ask("/hello").status, 200);
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2, refuses_trailers_past_a_limit_with_their_status_and_text) {
  test_app.app.post("/sizes", [](BodyStream body) -> Task<std::string> {
    std::size_t size = 0;
    while (const auto piece = co_await body.next()) size += piece->size();
    co_return std::to_string(size);
  });
  Http2Client client = this->client();
  const http2::FieldPairs many(101, {"x", "y"});
  const http2::FieldPairs large = {{"x", std::string(9'000, 'y')}};
  for (const char* path : {"/echo", "/sizes"}) {
    for (const bool late : {false, true}) {
      for (const auto& trailers : {many, large}) {
        const auto id = client.http2().request("POST", path, {}, "content", false);
        if (late) client.flush();
        if (late) client.ask("/hello");  // the handler waits for the content by now
        client.http2().send_trailers(id, trailers);
        const http2::ClientResponse& answer = client.answer(id);
        EXPECT_EQ(answer.status, 431) << path;
        EXPECT_TRUE(answer.content.contains(trailers == many ? "too many trailers" : "the trailers are too large"));
      }
    }
  }
}

TEST_F(Http2, a_connection_that_breaks_fires_all_stop_tokens) {
  Http2Client client = this->client();
  client.get("/stopped");
  client.get("/late/x");
  client.request("POST", "/echo", {}, "half", false);
  ASSERT_TRUE(test_app.gate.await(2));
  client.peer().reset();
  ASSERT_TRUE(running().eventually([this] { return running().worker().context().exchanges_in_use() == 2; }));
  test_app.gate.open();
  EXPECT_TRUE(all_ended());
  EXPECT_TRUE(test_app.stopped);
}

TEST_F(Http2, an_end_of_the_clients_side_stops_the_streams_at_once) {
  Http2Client client = this->client();
  client.get("/stopped");
  client.request("POST", "/echo", {}, "half", false);
  ASSERT_TRUE(test_app.gate.await());
  client.peer().shutdown_write();
  EXPECT_FALSE(client.until([] { return false; }));
  ASSERT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
  test_app.gate.open();
  EXPECT_TRUE(all_ended());
  EXPECT_TRUE(test_app.stopped);
}

TEST_F(Http2, http1_and_upgrades_are_as_before) {
  HttpClient plain(running().port());
  plain.get("/hello", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n");
  const HttpAnswer answer = plain.answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "Hello, World!");
  plain.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  EXPECT_EQ(plain.answer().status, 505) << "only at the beginning";
}

TEST_F(Http2, the_preface_may_come_byte_by_byte) {
  HttpClient plain(running().port());
  plain.send_bytewise(http2::client_preface());
  EXPECT_EQ(plain.take(9).substr(3, 2), std::string("\x04\0", 2)) << "settings";
}

TEST_F(Http2, can_be_off) {
  exchange::Settings settings;
  settings.prior_knowledge = false;
  serve(settings);
  HttpClient plain(running().port());
  plain.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  EXPECT_EQ(plain.answer().status, 505);
}

TEST_F(Http2, a_client_that_says_no_more_than_the_preface_is_closed) {
  serve({.head_timeout = soon});
  HttpClient plain(running().port());
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
  ASSERT_TRUE(test_app.gate.await());
  running().drain();
  ASSERT_TRUE(client.until([&] { return client.http2().goaway() == 0; }));
  ASSERT_TRUE(client.until([&] { return client.http2().last_stream() == id; }));
  test_app.gate.open();
  EXPECT_EQ(client.answer(id).content, "x");
  EXPECT_FALSE(client.until([] { return false; }));
  client.peer().close();
  running().wait();
}

TEST_F(Http2, floods_end_the_connection_and_nothing_else) {
  Http2Client other = this->client();
  HttpClient attacker(running().port());
  std::string bytes = http2::client_preface();
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

}  // namespace
}  // namespace tern::testing
