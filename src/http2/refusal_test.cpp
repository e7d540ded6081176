// What a session makes of requests that are none, or not served.
#include "http2/session.hpp"

#include "http2/test_desk.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tern::http2 {
namespace {

int status_of(const FieldPairs& head) {
  Desk desk;
  const auto id = desk.client.send_head(head);
  desk.run();
  EXPECT_EQ(desk.requests(), desk.client.at(id).status == 0 ? 0U : 1U);
  return desk.client.at(id).status;
}
FieldPairs get(std::string_view path, const FieldPairs& more = {}) {
  FieldPairs fields = {{":method", "GET"}, {":scheme", "http"}, {":authority", "a"}, {":path", std::string(path)}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

TEST(Http2Session, refuses_what_http1_refuses) {
  EXPECT_EQ(status_of(get("/a#b")), 400);
  EXPECT_EQ(status_of(get("/a%2")), 400);
  EXPECT_EQ(status_of(get("/a%00")), 400);
  EXPECT_EQ(status_of(get("/a\x80")), 400);
  EXPECT_EQ(status_of(get("/", {{"expect", "magic"}})), 417);
  EXPECT_EQ(status_of(get("/", {{"expect", "100-continue, magic"}})), 417);
  EXPECT_EQ(status_of(get("/", {{"host", "b"}})), 400);
  EXPECT_EQ(status_of({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {"host", "b]"}}), 400);
  EXPECT_EQ(status_of({{":method", "GET"}, {":scheme", "ftp"}, {":path", "/"}, {":authority", "b"}}), 400);
  EXPECT_EQ(status_of(get("/" + std::string(9000, 'x'))), 414);
  EXPECT_EQ(status_of(get("/", FieldPairs(101, {"x", "y"}))), 431);
  EXPECT_EQ(status_of(get("/", FieldPairs(2, {"x", std::string(41000, 'y')}))), 431);
  EXPECT_EQ(status_of(get("/", {{"x", "a\x01"}})), 400);
  EXPECT_EQ(status_of(get("/", {{"x", " blank"}})), 400);
  EXPECT_EQ(status_of({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "me@a"}}), 400);
  EXPECT_EQ(status_of({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "me:secret@a"}}), 400);
  EXPECT_EQ(status_of({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {"host", "me@a"}}), 400);
}

TEST(Http2Session, takes_what_http1_takes) {
  Desk desk;
  desk.answers = true;
  const auto same = desk.client.send_head(get("/", {{"host", "a"}}));
  const auto host = desk.client.send_head({{":method", "GET"}, {":scheme", "https"}, {":path", "/"}, {"host", "b:80"}});
  const auto all =
      desk.client.send_head({{":method", "OPTIONS"}, {":scheme", "http"}, {":authority", "a"}, {":path", "*"}});
  desk.run();
  for (const auto id : {same, host, all}) EXPECT_EQ(desk.client.at(id).status, 200) << id;
  EXPECT_EQ(desk.stream(same).request().fields.count("host"), 1U);
  EXPECT_EQ(desk.stream(host).request().fields.find("host"), "b:80");
}

TEST(Http2Session, malformed_requests_are_reset) {
  for (const FieldPairs& head :
       {FieldPairs{{":method", "GET"}, {":scheme", "http"}, {":authority", "a"}}, get("/", {{"connection", "close"}}),
        get("/", {{"transfer-encoding", "chunked"}}), get("/", {{"te", "gzip"}}), get("/", {{":path", "/"}}),
        get("/", {{"content-length", "x"}}), get("", {})}) {
    Desk desk;
    desk.answers = true;
    const auto id = desk.client.send_head(head);
    desk.run();
    EXPECT_EQ(desk.client.at(id).error, std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
    EXPECT_EQ(desk.requests(), 0U) << head.back().first;
    EXPECT_FALSE(desk.session.within_head());
    EXPECT_EQ(desk.session.streams(), 0U);
  }
}

TEST(Http2Session, a_malformed_head_of_a_refused_stream_is_not_waited_for) {
  Desk desk;
  desk.full = true;
  desk.client.send_head(get("/", {{"connection", "close"}}));
  desk.run();
  EXPECT_FALSE(desk.session.within_head());
  EXPECT_EQ(desk.session.streams(), 0U);
}

TEST(Http2Session, content_is_as_long_as_announced) {
  const auto error = [](const std::string& content) {
    Desk desk;
    const auto id = desk.client.request("POST", "/", {{"content-length", "7"}}, content);
    desk.run();
    EXPECT_EQ(desk.stream(id).content_complete(), content.size() == 7);
    if (content.size() == 7) return std::uint32_t{NGHTTP2_NO_ERROR};
    EXPECT_LE(desk.stream(id).content.size(), 7U);
    EXPECT_TRUE(desk.stream(id).broken());
    return desk.client.at(id).error;
  };
  EXPECT_EQ(error("content"), std::uint32_t{NGHTTP2_NO_ERROR});
  EXPECT_EQ(error("conten"), std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
  EXPECT_EQ(error("contents"), std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
  EXPECT_EQ(error(std::string(40000, 'x')), std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
  Desk desk;
  const auto none = desk.client.send_head(get("/", {{"content-length", "7"}}));
  const auto empty = desk.client.send_head(get("/", {{"content-length", "0"}}));
  desk.run();
  EXPECT_EQ(desk.requests(), 1U);
  EXPECT_EQ(desk.client.at(none).error, std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
  EXPECT_TRUE(desk.stream(empty).content_complete());
}

std::string post_with_trailers(const std::string& trailers) {
  return greeting() + frame(NGHTTP2_HEADERS, end_headers, 1, "\x83\x86\x84" + literal(":authority", "a")) +
         frame(NGHTTP2_DATA, 0, 1, "content") + frame(NGHTTP2_HEADERS, end_headers | end_stream, 1, trailers);
}

// The code of the reset that ends a POST with such trailers: -1 when there is none. At every split the same.
long error_of_trailers(const std::string& trailers) {
  const std::string bytes = post_with_trailers(trailers);
  long first = 0;
  for (std::size_t piece : {bytes.size(), bytes.size() - 20, std::size_t{1}}) {
    Desk desk;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      EXPECT_TRUE(desk.receive(std::string_view(bytes).substr(at, piece)));
    }
    EXPECT_EQ(desk.requests(), 1U);
    EXPECT_FALSE(desk.stream(1).refused());
    const std::size_t before = desk.sent.size();
    desk.flush();
    const std::string reset = frame(NGHTTP2_RST_STREAM, 0, 1, std::string_view("\0\0\0\1", 4));
    const bool is_reset = desk.sent.find(reset, before) != std::string::npos;
    EXPECT_EQ(desk.stream(1).content_complete(), !is_reset);
    EXPECT_EQ(desk.stream(1).closed(), is_reset);
    const long error = is_reset ? NGHTTP2_PROTOCOL_ERROR : -1;
    if (piece == bytes.size()) first = error;
    EXPECT_EQ(error, first) << piece;
  }
  return first;
}

TEST(Http2Session, content_is_as_long_as_announced_where_trailers_end_it) {
  for (const std::string content : {"content", "conten"}) {
    Desk desk;
    const auto id = desk.client.request("POST", "/", {{"content-length", "7"}}, content, false);
    desk.client.send_trailers(id, {{"x-sum", "1"}});
    desk.run();
    const bool good = content.size() == 7;
    EXPECT_EQ(desk.stream(id).content_complete(), good);
    EXPECT_EQ(desk.stream(id).broken(), !good);
    EXPECT_EQ(desk.client.at(id).closed, !good);
    EXPECT_EQ(desk.client.at(id).error, std::uint32_t{good ? NGHTTP2_NO_ERROR : NGHTTP2_PROTOCOL_ERROR});
  }
}

TEST(Http2Session, a_malformed_field_may_come_in_a_continuation) {
  Desk desk;
  desk.answers = true;
  const auto head = [](std::uint32_t id, std::string_view more) {
    return frame(NGHTTP2_HEADERS, end_stream, id, get_block()) + frame(NGHTTP2_CONTINUATION, 0, id, literal("x", "y")) +
           frame(NGHTTP2_CONTINUATION, end_headers, id, more);
  };
  ASSERT_TRUE(desk.receive(greeting() + head(1, literal("connection", "close")) + head(3, literal("x", "z"))));
  EXPECT_FALSE(desk.session.within_head());
  desk.flush();
  EXPECT_EQ(desk.requests(), 1U);
  EXPECT_TRUE(desk.stream(1).closed());
  EXPECT_FALSE(desk.stream(1).seen.request);
  EXPECT_EQ(desk.stream(3).request().fields.count("x"), 2U);
  EXPECT_NE(desk.sent.find(frame(NGHTTP2_RST_STREAM, 0, 1, std::string_view("\0\0\0\1", 4))), std::string::npos);
}

// What is given back too little is never open again, and what is given back twice opens the window too early.
TEST(Http2Session, content_past_its_length_takes_room_once_and_gives_it_back_once) {
  Limits limits;
  limits.connection_window = 100'000;
  limits.stream_window = 200'000;
  Desk desk(65535, limits);
  desk.reads = false;
  const auto window = [&] { return nghttp2_session_get_remote_window_size(desk.client.session()); };
  const auto alone = desk.client.request("POST", "/", {{"content-length", "60000"}}, std::string(60'000, 'a'), false);
  desk.run();
  desk.session.stand_alone(desk.stream(alone));
  desk.run();
  EXPECT_EQ(window(), 100'000);
  desk.client.send(alone, std::string(10'000, 'b'));
  desk.run();
  EXPECT_EQ(desk.client.at(alone).error, std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
  EXPECT_EQ(window(), 90'000);
  // Fills the window, and has it opened again with what was given back before.
  const auto fills = desk.client.request("POST", "/", {}, std::string(90'000, 'f'));
  desk.run();
  EXPECT_EQ(window(), 0);
  std::string piece;
  desk.session.read(desk.stream(fills), piece);
  desk.run();
  EXPECT_EQ(window(), 100'000);
  // Less than half of it is not told.
  desk.client.request("POST", "/", {}, std::string(55'000, 'c'));
  const auto last = desk.client.request("POST", "/", {}, std::string(45'000, 'd'));
  desk.run();
  EXPECT_EQ(window(), 0);
  desk.session.read(desk.stream(last), piece);
  EXPECT_EQ(piece.size(), 45'000U);
  desk.run();
  EXPECT_EQ(window(), 0);
}

TEST(Http2Session, trailers_are_judged_the_same_at_every_split) {
  EXPECT_EQ(error_of_trailers(literal("x", "y")), -1);
  EXPECT_EQ(error_of_trailers(literal("x", "a\x01")), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_EQ(error_of_trailers(literal("x", " a")), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_EQ(error_of_trailers(literal("x y", "a")), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_EQ(error_of_trailers(literal(":path", "/")), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_EQ(error_of_trailers("\x84"), NGHTTP2_PROTOCOL_ERROR);  // the same by its number
  EXPECT_EQ(error_of_trailers(literal("connection", "close")), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_EQ(error_of_trailers(literal("transfer-encoding", "chunked")), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_EQ(error_of_trailers(literal("content-length", "7")), NGHTTP2_PROTOCOL_ERROR);
}

TEST(Http2Session, trailers_past_a_limit_are_refused_at_every_split) {
  std::string many;
  for (int i = 0; i < 101; ++i) many += literal("x", "y");
  std::string large;
  for (int i = 0; i < 90; ++i) large += literal("x", std::string(100, 'y'));
  const std::vector<std::pair<std::string, std::string>> cases = {{many, "too many trailers"},
                                                                  {large, "the trailers are too large"}};
  for (const auto& [trailers, detail] : cases) {
    const std::string bytes = post_with_trailers(trailers);
    for (const std::size_t piece : {bytes.size(), bytes.size() - 20, std::size_t{1}}) {
      Desk desk;
      for (std::size_t at = 0; at < bytes.size(); at += piece) {
        EXPECT_TRUE(desk.receive(std::string_view(bytes).substr(at, piece)));
      }
      EXPECT_TRUE(desk.stream(1).content_complete());
      EXPECT_FALSE(desk.stream(1).refused());
      ASSERT_TRUE(desk.stream(1).content_refused()) << detail;
      EXPECT_EQ(desk.stream(1).content_refused()->status, Status::RequestHeaderFieldsTooLarge);
      EXPECT_EQ(desk.stream(1).content_refused()->detail, detail);
    }
  }
}

TEST(Http2Session, trailers_end_a_request) {
  Desk desk;
  const auto id = desk.client.request("POST", "/", {}, "content", false);
  desk.run();
  ASSERT_TRUE(desk.receive(
      frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, static_cast<std::uint32_t>(id), literal("x", "y"))));
  desk.flush();
  EXPECT_FALSE(desk.stream(id).content_complete());
  EXPECT_EQ(desk.client.at(id).error, std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
}

}  // namespace
}  // namespace tern::http2
