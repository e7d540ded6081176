// Malformed and rejected requests.
#include "http2/session.hpp"

#include "http2/session_fixture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tern::http2 {
namespace {

int status_of(const FieldPairs& head) {
  SessionFixture fixture;
  const auto id = fixture.client.send_head(head);
  fixture.run();
  EXPECT_EQ(fixture.requests(), fixture.client.at(id).status == 0 ? 0U : 1U);
  return fixture.client.at(id).status;
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
  SessionFixture fixture;
  fixture.answers = true;
  const auto same = fixture.client.send_head(get("/", {{"host", "a"}}));
  const auto host =
      fixture.client.send_head({{":method", "GET"}, {":scheme", "https"}, {":path", "/"}, {"host", "b:80"}});
  const auto all =
      fixture.client.send_head({{":method", "OPTIONS"}, {":scheme", "http"}, {":authority", "a"}, {":path", "*"}});
  fixture.run();
  for (const auto id : {same, host, all}) EXPECT_EQ(fixture.client.at(id).status, 200) << id;
  EXPECT_EQ(fixture.stream(same).request().fields.count("host"), 1U);
  EXPECT_EQ(fixture.stream(host).request().fields.find("host"), "b:80");
}

TEST(Http2Session, malformed_requests_are_reset) {
  for (const FieldPairs& head :
       {FieldPairs{{":method", "GET"}, {":scheme", "http"}, {":authority", "a"}}, get("/", {{"connection", "close"}}),
        get("/", {{"transfer-encoding", "chunked"}}), get("/", {{"te", "gzip"}}), get("/", {{":path", "/"}}),
        get("/", {{"content-length", "x"}}), get("", {})}) {
    SessionFixture fixture;
    fixture.answers = true;
    const auto id = fixture.client.send_head(head);
    fixture.run();
    EXPECT_EQ(fixture.client.at(id).error, std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
    EXPECT_EQ(fixture.requests(), 0U) << head.back().first;
    EXPECT_FALSE(fixture.session.within_head());
    EXPECT_EQ(fixture.session.streams(), 0U);
  }
}

TEST(Http2Session, a_malformed_head_of_a_refused_stream_is_not_waited_for) {
  SessionFixture fixture;
  fixture.full = true;
  fixture.client.send_head(get("/", {{"connection", "close"}}));
  fixture.run();
  EXPECT_FALSE(fixture.session.within_head());
  EXPECT_EQ(fixture.session.streams(), 0U);
}

TEST(Http2Session, content_is_as_long_as_announced) {
  const auto error = [](const std::string& content) {
    SessionFixture fixture;
    const auto id = fixture.client.request("POST", "/", {{"content-length", "7"}}, content);
    fixture.run();
    EXPECT_EQ(fixture.stream(id).content_complete(), content.size() == 7);
    if (content.size() == 7) return std::uint32_t{NGHTTP2_NO_ERROR};
    EXPECT_LE(fixture.stream(id).content.size(), 7U);
    EXPECT_TRUE(fixture.stream(id).broken());
    return fixture.client.at(id).error;
  };
  EXPECT_EQ(error("content"), std::uint32_t{NGHTTP2_NO_ERROR});
  EXPECT_EQ(error("conten"), std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
  EXPECT_EQ(error("contents"), std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
  EXPECT_EQ(error(std::string(40000, 'x')), std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
  SessionFixture fixture;
  const auto none = fixture.client.send_head(get("/", {{"content-length", "7"}}));
  const auto empty = fixture.client.send_head(get("/", {{"content-length", "0"}}));
  fixture.run();
  EXPECT_EQ(fixture.requests(), 1U);
  EXPECT_EQ(fixture.client.at(none).error, std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
  EXPECT_TRUE(fixture.stream(empty).content_complete());
}

std::string post_with_trailers(const std::string& trailers) {
  return client_preface() + frame(NGHTTP2_HEADERS, end_headers, 1, "\x83\x86\x84" + literal(":authority", "a")) +
         frame(NGHTTP2_DATA, 0, 1, "content") + frame(NGHTTP2_HEADERS, end_headers | end_stream, 1, trailers);
}

// The error code of the reset after a POST with these trailers; -1 if there is none. The same for every split.
long error_of_trailers(const std::string& trailers) {
  const std::string bytes = post_with_trailers(trailers);
  long first = 0;
  for (std::size_t piece : {bytes.size(), bytes.size() - 20, std::size_t{1}}) {
    SessionFixture fixture;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      EXPECT_TRUE(fixture.receive(std::string_view(bytes).substr(at, piece)));
    }
    EXPECT_EQ(fixture.requests(), 1U);
    EXPECT_FALSE(fixture.stream(1).refused());
    const std::size_t before = fixture.sent.size();
    fixture.flush();
    const std::string reset = frame(NGHTTP2_RST_STREAM, 0, 1, std::string_view("\0\0\0\1", 4));
    const bool is_reset = fixture.sent.find(reset, before) != std::string::npos;
    EXPECT_EQ(fixture.stream(1).content_complete(), !is_reset);
    EXPECT_EQ(fixture.stream(1).closed(), is_reset);
    const long error = is_reset ? NGHTTP2_PROTOCOL_ERROR : -1;
    if (piece == bytes.size()) first = error;
    EXPECT_EQ(error, first) << piece;
  }
  return first;
}

TEST(Http2Session, content_is_as_long_as_announced_where_trailers_end_it) {
  for (const std::string content : {"content", "conten"}) {
    SessionFixture fixture;
    const auto id = fixture.client.request("POST", "/", {{"content-length", "7"}}, content, false);
    fixture.client.send_trailers(id, {{"x-sum", "1"}});
    fixture.run();
    const bool good = content.size() == 7;
    EXPECT_EQ(fixture.stream(id).content_complete(), good);
    EXPECT_EQ(fixture.stream(id).broken(), !good);
    EXPECT_EQ(fixture.client.at(id).closed, !good);
    EXPECT_EQ(fixture.client.at(id).error, std::uint32_t{good ? NGHTTP2_NO_ERROR : NGHTTP2_PROTOCOL_ERROR});
  }
}

TEST(Http2Session, a_malformed_field_may_come_in_a_continuation) {
  SessionFixture fixture;
  fixture.answers = true;
  const auto head = [](std::uint32_t id, std::string_view more) {
    return frame(NGHTTP2_HEADERS, end_stream, id, get_block()) + frame(NGHTTP2_CONTINUATION, 0, id, literal("x", "y")) +
           frame(NGHTTP2_CONTINUATION, end_headers, id, more);
  };
  ASSERT_TRUE(fixture.receive(client_preface() + head(1, literal("connection", "close")) + head(3, literal("x", "z"))));
  EXPECT_FALSE(fixture.session.within_head());
  fixture.flush();
  EXPECT_EQ(fixture.requests(), 1U);
  EXPECT_TRUE(fixture.stream(1).closed());
  EXPECT_FALSE(fixture.stream(1).seen.request);
  EXPECT_EQ(fixture.stream(3).request().fields.count("x"), 2U);
  EXPECT_NE(fixture.sent.find(frame(NGHTTP2_RST_STREAM, 0, 1, std::string_view("\0\0\0\1", 4))), std::string::npos);
}

// Content that returns too little window blocks the connection; content that returns it twice opens the window too
// early.
TEST(Http2Session, content_past_its_length_takes_room_once_and_gives_it_back_once) {
  Limits limits;
  limits.connection_window = 100'000;
  limits.stream_window = 200'000;
  SessionFixture fixture(65535, limits);
  fixture.reads = false;
  const auto window = [&] { return nghttp2_session_get_remote_window_size(fixture.client.session()); };
  const auto alone =
      fixture.client.request("POST", "/", {{"content-length", "60000"}}, std::string(60'000, 'a'), false);
  fixture.run();
  fixture.session.exempt_from_connection_window(fixture.stream(alone));
  fixture.run();
  EXPECT_EQ(window(), 100'000);
  fixture.client.send(alone, std::string(10'000, 'b'));
  fixture.run();
  EXPECT_EQ(fixture.client.at(alone).error, std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
  EXPECT_EQ(window(), 90'000);
  // Fills the window, and opens it again with the returned bytes.
  const auto fills = fixture.client.request("POST", "/", {}, std::string(90'000, 'f'));
  fixture.run();
  EXPECT_EQ(window(), 0);
  std::string piece;
  fixture.session.read(fixture.stream(fills), piece);
  fixture.run();
  EXPECT_EQ(window(), 100'000);
  // Less than half of the window is not announced.
  fixture.client.request("POST", "/", {}, std::string(55'000, 'c'));
  const auto last = fixture.client.request("POST", "/", {}, std::string(45'000, 'd'));
  fixture.run();
  EXPECT_EQ(window(), 0);
  fixture.session.read(fixture.stream(last), piece);
  EXPECT_EQ(piece.size(), 45'000U);
  fixture.run();
  EXPECT_EQ(window(), 0);
}

TEST(Http2Session, trailers_are_judged_the_same_at_every_split) {
  EXPECT_EQ(error_of_trailers(literal("x", "y")), -1);
  EXPECT_EQ(error_of_trailers(literal("x", "a\x01")), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_EQ(error_of_trailers(literal("x", " a")), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_EQ(error_of_trailers(literal("x y", "a")), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_EQ(error_of_trailers(literal(":path", "/")), NGHTTP2_PROTOCOL_ERROR);
  EXPECT_EQ(error_of_trailers("\x84"), NGHTTP2_PROTOCOL_ERROR);  // the same by its index
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
      SessionFixture fixture;
      for (std::size_t at = 0; at < bytes.size(); at += piece) {
        EXPECT_TRUE(fixture.receive(std::string_view(bytes).substr(at, piece)));
      }
      EXPECT_TRUE(fixture.stream(1).content_complete());
      EXPECT_FALSE(fixture.stream(1).refused());
      ASSERT_TRUE(fixture.stream(1).content_refused()) << detail;
      EXPECT_EQ(fixture.stream(1).content_refused()->status, Status::RequestHeaderFieldsTooLarge);
      EXPECT_EQ(fixture.stream(1).content_refused()->detail, detail);
    }
  }
}

TEST(Http2Session, trailers_end_a_request) {
  SessionFixture fixture;
  const auto id = fixture.client.request("POST", "/", {}, "content", false);
  fixture.run();
  ASSERT_TRUE(fixture.receive(
      frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, static_cast<std::uint32_t>(id), literal("x", "y"))));
  fixture.flush();
  EXPECT_FALSE(fixture.stream(id).content_complete());
  EXPECT_EQ(fixture.client.at(id).error, std::uint32_t{NGHTTP2_PROTOCOL_ERROR});
}

}  // namespace
}  // namespace tern::http2
