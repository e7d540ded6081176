// What a session makes of requests that are none, or not served.
#include "http2/session.hpp"

#include "http2/test_desk.hpp"

#include <gtest/gtest.h>

#include <string>

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
  EXPECT_EQ(status_of(get("/", {{"host", "b"}})), 400);
  EXPECT_EQ(status_of({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {"host", "b]"}}), 400);
  EXPECT_EQ(status_of({{":method", "GET"}, {":scheme", "ftp"}, {":path", "/"}, {":authority", "b"}}), 400);
  EXPECT_EQ(status_of({{":method", "BREW"}, {":scheme", "http"}, {":path", "/"}, {":authority", "b"}}), 501);
  EXPECT_EQ(status_of(get("/" + std::string(9000, 'x'))), 414);
  EXPECT_EQ(status_of(get("/", FieldPairs(101, {"x", "y"}))), 431);
  EXPECT_EQ(status_of(get("/", FieldPairs(2, {"x", std::string(41000, 'y')}))), 431);
  EXPECT_EQ(status_of(get("/", {{"x", "a\x01"}})), 400);
  EXPECT_EQ(status_of(get("/", {{"x", " blank"}})), 400);
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
