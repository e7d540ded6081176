// What a session makes of requests, and what becomes of answers.
#include "http2/session.hpp"

#include "http2/test_desk.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>

namespace tern::http2 {
namespace {

TEST(Http2Session, a_head_is_what_http1_makes_of_it) {
  Desk desk;
  const auto id = desk.client.request("GET", "/a/../b%20?c=d", {{"accept", "text/html"}, {"x-more", "1"}});
  desk.run();
  const DeskStream& stream = desk.stream(id);
  ASSERT_TRUE(stream.seen.request);
  EXPECT_FALSE(stream.refused());
  const RequestHead& head = stream.request();
  EXPECT_EQ(head.method, Method::Get);
  EXPECT_EQ(head.version, Version::Http2);
  EXPECT_EQ(head.target, "/a/../b%20?c=d");
  EXPECT_EQ(head.parts.path, "/a/../b%20");
  EXPECT_EQ(head.parts.query, "c=d");
  EXPECT_FALSE(head.plain_path);
  EXPECT_EQ(head.fields.find("Host"), "a");
  EXPECT_EQ(head.fields.find("Accept"), "text/html");
  EXPECT_EQ(head.fields.size(), 3U);
  EXPECT_TRUE(stream.content_complete());
}

TEST(Http2Session, answers_with_length_date_and_fields_in_lower_case) {
  Desk desk;
  const auto id = desk.client.request("GET", "/");
  desk.run();
  Fields fields;
  fields.set("X-Answer", "Yes");
  ResponseHead head;
  head.fields = &fields;
  head.content_type = "text/plain";
  head.date = "now";
  head.server = "tern";
  desk.session.answer(desk.stream(id), head, "hello");
  desk.run();
  const Answered& answer = desk.client.at(id);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content, "hello");
  EXPECT_EQ(answer.fields, (FieldPairs{{"date", "now"},
                                       {"server", "tern"},
                                       {"content-type", "text/plain"},
                                       {"x-answer", "Yes"},
                                       {"content-length", "5"}}));
  EXPECT_TRUE(desk.stream(id).seen.answered);
  EXPECT_TRUE(desk.stream(id).seen.closed);
  EXPECT_FALSE(desk.stream(id).broken());
  EXPECT_EQ(desk.session.streams(), 0U);
}

// The type may be in the request, which ends before what was queued leaves.
TEST(Http2Session, a_content_type_need_not_last) {
  Desk desk;
  const auto id = desk.client.request("GET", "/");
  const auto gone = desk.client.request("GET", "/");
  desk.run();
  {
    const auto type = std::make_unique<std::string>("text/a-type-that-is-not-within-the-string-object");
    ResponseHead head;
    head.content_type = *type;
    desk.session.answer(desk.stream(id), head, "hello");
    desk.session.answer(desk.stream(gone), head, "hello");
    desk.client.reset(gone);
    ASSERT_TRUE(desk.receive(desk.client.output()));
    EXPECT_TRUE(desk.stream(gone).seen.closed);
    type->assign(type->size(), 'x');
  }
  desk.run();
  EXPECT_EQ(desk.client.at(id).field("content-type"), "text/a-type-that-is-not-within-the-string-object");
  EXPECT_EQ(desk.client.at(gone).status, 0);
}

TEST(Http2Session, leaves_content_out_where_there_is_none) {
  struct {
    const char* method;
    Status status;
    const char* length;
  } const cases[] = {{"HEAD", Status::Ok, "5"},
                     {"GET", Status::NoContent, ""},
                     {"GET", Status::NotModified, "5"},
                     {"GET", Status::ResetContent, "0"}};
  for (const auto& each : cases) {
    Desk desk;
    const auto id = desk.client.request(each.method, "/");
    desk.run();
    desk.session.answer(desk.stream(id), {each.status}, "hello");
    desk.run();
    EXPECT_EQ(desk.client.at(id).content, "");
    EXPECT_EQ(desk.client.at(id).field("content-length"), each.length) << each.method;
    EXPECT_TRUE(desk.client.at(id).ended);
  }
}

TEST(Http2Session, content_comes_with_its_end) {
  Desk desk;
  const auto id = desk.client.request("POST", "/", {}, "first", false);
  desk.run();
  EXPECT_EQ(desk.stream(id).content, "first");
  EXPECT_FALSE(desk.stream(id).content_complete());
  desk.client.send(id, "second", true);
  desk.run();
  EXPECT_EQ(desk.stream(id).content, "firstsecond");
  EXPECT_TRUE(desk.stream(id).content_complete());
}

TEST(Http2Session, a_request_may_have_trailers_which_are_dropped) {
  Desk desk;
  const auto id = desk.client.request("POST", "/", {}, "content", false);
  desk.client.send_trailers(id, {{"x-sum", "1"}});
  desk.run();
  EXPECT_TRUE(desk.stream(id).content_complete());
  EXPECT_EQ(desk.stream(id).request().fields.find("x-sum"), std::nullopt);
  EXPECT_FALSE(desk.stream(id).seen.closed);
}

TEST(Http2Session, content_that_is_not_read_stops_its_sender) {
  Desk desk;
  desk.reads = false;
  const std::size_t window = desk.limits.stream_window;
  const auto id = desk.client.request("POST", "/", {}, std::string(3 * window, 'x'), true);
  desk.run();
  EXPECT_EQ(desk.stream(id).unread(), window);
  std::string piece;
  desk.session.read(desk.stream(id), piece);
  EXPECT_EQ(piece.size(), window);
  desk.run();
  EXPECT_EQ(desk.stream(id).unread(), window);
  desk.session.discard(desk.stream(id));
  desk.run();
  EXPECT_FALSE(desk.stream(id).content_complete()) << "much that nobody wants is not asked for";
  EXPECT_EQ(desk.stream(id).unread(), 0U);
}

TEST(Http2Session, unread_content_of_all_streams_is_bounded) {
  Desk desk;
  desk.reads = false;
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 10; ++i) {
    ids.push_back(desk.client.request("POST", "/", {}, std::string(desk.limits.stream_window, 'x'), false));
  }
  desk.run();
  const auto unread = [&] {
    std::size_t sum = 0;
    for (const DeskStream& stream : desk.streams) sum += stream.unread();
    return sum;
  };
  EXPECT_EQ(unread(), desk.limits.connection_window);
  for (const auto id : ids) desk.client.reset(id);  // what they held is free again
  desk.run();
  EXPECT_EQ(unread(), 0U);
  desk.reads = true;
  const auto more = desk.client.request("POST", "/", {}, std::string(2 * desk.limits.connection_window, 'y'));
  desk.run();
  EXPECT_EQ(desk.stream(more).content.size(), 2 * desk.limits.connection_window);
}

TEST(Http2Session, a_stream_that_stands_alone_leaves_the_window_of_the_connection_to_others) {
  Limits limits;
  limits.connection_window = limits.stream_window;
  Desk desk(65535, limits);
  desk.reads = false;
  const auto alone = desk.client.request("POST", "/", {}, "some", false);
  desk.run();
  desk.session.stand_alone(desk.stream(alone));
  desk.client.send(alone, std::string(1'000'000, 'a'));
  const auto other = desk.client.request("POST", "/", {}, std::string(100'000, 'o'));
  desk.run();
  EXPECT_EQ(desk.stream(alone).unread(), desk.limits.stream_window);
  EXPECT_EQ(desk.stream(other).unread(), 100'000U);
  EXPECT_FALSE(desk.session.window_is_full());
  desk.session.reset(desk.stream(alone), ErrorCode::Cancel);
  desk.session.reset(desk.stream(other), ErrorCode::Cancel);
  const auto last = desk.client.request("POST", "/", {}, std::string(200'000, 'l'));
  desk.run();
  EXPECT_EQ(desk.stream(last).unread(), 200'000U);
}

TEST(Http2Session, what_has_left_takes_no_memory_when_it_is_trimmed) {
  Desk desk(1 << 20);
  desk.client.open_window();
  const auto id = desk.client.request("GET", "/");
  desk.run();
  DeskStream& stream = desk.stream(id);
  desk.session.respond(stream, {});
  desk.session.write(stream, std::string(100'000, 'x'));
  desk.session.trim(stream);
  EXPECT_EQ(stream.unsent(), 100'000U);
  desk.run();
  desk.session.trim(stream);
  desk.session.write(stream, "more");
  desk.session.finish(stream, Fields());
  desk.run();
  EXPECT_EQ(desk.client.at(id).content.size(), 100'004U);
  EXPECT_LT(stream.take_owned().capacity(), 100U);
}

TEST(Http2Session, an_answer_waits_for_the_clients_window) {
  Desk desk(1000);
  const auto id = desk.client.request("GET", "/");
  desk.run();
  const std::string content(5000, 'x');
  nghttp2_session_set_local_window_size(desk.client.session(), NGHTTP2_FLAG_NONE, id, 1000);
  desk.session.answer(desk.stream(id), {}, std::string(content));
  desk.run();
  EXPECT_EQ(desk.client.at(id).content, content);  // nghttp2's client opens the window as it reads
  EXPECT_TRUE(desk.stream(id).seen.room);
}

TEST(Http2Session, content_that_is_made_on_the_way_ends_in_trailers) {
  Desk desk;
  const auto id = desk.client.request("GET", "/");
  desk.run();
  DeskStream& stream = desk.stream(id);
  EXPECT_TRUE(desk.session.respond(stream, {}));
  desk.run();
  EXPECT_EQ(desk.client.at(id).status, 200);
  desk.session.write(stream, "one ");
  EXPECT_EQ(stream.unsent(), 4U);
  desk.run();
  EXPECT_EQ(stream.unsent(), 0U);
  desk.session.write(stream, "two");
  Fields trailers;
  trailers.set("X-Sum", "7");
  desk.session.finish(stream, trailers);
  desk.run();
  EXPECT_EQ(desk.client.at(id).content, "one two");
  EXPECT_EQ(desk.client.at(id).trailers, (FieldPairs{{"x-sum", "7"}}));
  EXPECT_TRUE(desk.client.at(id).ended);
  EXPECT_EQ(desk.client.at(id).field("content-length"), "");
}

TEST(Http2Session, an_end_may_come_after_everything_was_sent) {
  Desk desk;
  const auto id = desk.client.request("GET", "/");
  desk.run();
  desk.session.respond(desk.stream(id), {});
  desk.session.write(desk.stream(id), "all");
  desk.run();
  desk.session.finish(desk.stream(id), {});
  desk.run();
  EXPECT_TRUE(desk.client.at(id).ended);
  EXPECT_EQ(desk.client.at(id).content, "all");
}

TEST(Http2Session, interim_responses_come_before) {
  Desk desk;
  const auto id = desk.client.request("POST", "/", {{"expect", "100-continue, 100-continue,"}}, {}, false);
  desk.run();
  EXPECT_TRUE(desk.stream(id).expects_continue());
  desk.session.inform(desk.stream(id), Status::Continue);
  EXPECT_FALSE(desk.stream(id).expects_continue());
  Fields fields;
  fields.set("Link", "</a>; rel=preload");
  desk.session.inform(desk.stream(id), Status::EarlyHints, &fields);
  desk.session.answer(desk.stream(id), {}, "x");
  desk.run();
  EXPECT_EQ(desk.client.at(id).interim, (std::vector<int>{100, 103}));
  EXPECT_EQ(desk.client.at(id).status, 200);
}

TEST(Http2Session, an_answer_before_the_end_of_the_request_stops_it_without_error) {
  Desk desk;
  const auto id = desk.client.request("POST", "/", {{"content-length", "100000"}}, "some", false);
  desk.run();
  desk.session.discard(desk.stream(id));
  desk.session.answer(desk.stream(id), {}, "enough");
  desk.run();
  EXPECT_EQ(desk.client.at(id).content, "enough");
  EXPECT_TRUE(desk.client.at(id).closed);
  EXPECT_EQ(desk.client.at(id).error, std::uint32_t{NGHTTP2_NO_ERROR});
  EXPECT_TRUE(desk.stream(id).seen.closed);
}

TEST(Http2Session, a_little_content_behind_an_answer_is_taken_and_much_is_not) {
  Desk desk;
  const auto id = desk.client.request("POST", "/", {}, "some", false);
  desk.run();
  desk.session.discard(desk.stream(id));
  desk.session.answer(desk.stream(id), {}, "enough");
  desk.client.send(id, std::string(60000, 'x'));
  desk.run();
  EXPECT_FALSE(desk.client.at(id).closed);
  desk.client.send(id, std::string(10000, 'x'));
  desk.run();
  EXPECT_TRUE(desk.client.at(id).closed);
  EXPECT_EQ(desk.client.at(id).error, std::uint32_t{NGHTTP2_NO_ERROR});
}

TEST(Http2Session, a_reset_by_either_side_ends_the_stream) {
  Desk desk;
  const auto ours = desk.client.request("GET", "/");
  const auto theirs = desk.client.request("GET", "/");
  desk.run();
  desk.session.reset(desk.stream(ours), ErrorCode::Internal);
  desk.client.reset(theirs);
  desk.run();
  EXPECT_EQ(desk.client.at(ours).error, std::uint32_t{NGHTTP2_INTERNAL_ERROR});
  EXPECT_TRUE(desk.stream(ours).broken());
  EXPECT_TRUE(desk.stream(theirs).broken());
  desk.session.answer(desk.stream(theirs), {}, "too late");  // nothing happens
  desk.run();
  EXPECT_EQ(desk.client.at(theirs).status, 0);
}

TEST(Http2Session, the_answer_to_a_ping_before_a_drain_is_not_the_one_to_the_drain) {
  Desk desk;
  desk.run();
  desk.session.ping();
  desk.flush();
  const std::string answer = desk.client.output();
  EXPECT_FALSE(answer.empty());
  desk.session.drain();
  desk.receive(answer);
  EXPECT_FALSE(desk.session.refusing_streams());
  desk.run();
  EXPECT_TRUE(desk.session.refusing_streams());
}

TEST(Http2Session, what_the_owner_throws_ends_it) {
  Desk desk;
  ASSERT_TRUE(desk.receive(greeting()));
  desk.flush();
  desk.fails = true;
  const std::string request =
      frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, 1, get_block());
  EXPECT_THROW(desk.receive(request), std::bad_alloc);
  EXPECT_TRUE(desk.session.failed());
  EXPECT_TRUE(desk.session.done());
  EXPECT_FALSE(desk.receive(request));
  EXPECT_FALSE(desk.flush());
}

TEST(Http2Session, a_drain_is_announced_and_then_final) {
  Desk desk;
  const auto early = desk.client.request("GET", "/");
  desk.run();
  desk.session.drain();
  const auto crossing = desk.client.request("GET", "/");  // sent before the client can know
  const std::string up = desk.client.output();
  desk.flush();
  EXPECT_EQ(desk.client.goaway(), long{NGHTTP2_NO_ERROR});
  EXPECT_EQ(desk.client.last_stream(), 0x7fffffff);
  EXPECT_FALSE(desk.session.refusing_streams());
  desk.receive(up);
  desk.run();
  EXPECT_TRUE(desk.session.refusing_streams());
  EXPECT_EQ(desk.client.last_stream(), crossing);
  EXPECT_FALSE(desk.session.done());
  for (const auto id : {early, crossing}) desk.session.answer(desk.stream(id), {}, "bye");
  desk.run();
  EXPECT_EQ(desk.client.at(early).content, "bye");
  EXPECT_EQ(desk.client.at(crossing).content, "bye");
  EXPECT_TRUE(desk.session.done());
}

TEST(Http2Session, offers_no_other_protocols_unless_it_is_told_to) {
  Desk desk;
  desk.run();
  EXPECT_EQ(nghttp2_session_get_remote_settings(desk.client.session(), NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL), 0U);
  desk.client.send_head({{":method", "CONNECT"},
                         {":protocol", "websocket"},
                         {":scheme", "http"},
                         {":path", "/chat"},
                         {":authority", "a"}},
                        false);
  desk.run();
  EXPECT_EQ(desk.requests(), 0U);
}

TEST(Http2Session, gives_extended_connect_with_its_protocol) {
  Limits limits;
  limits.extended_connect = true;
  Desk desk(65535, limits);
  desk.run();
  EXPECT_EQ(nghttp2_session_get_remote_settings(desk.client.session(), NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL), 1U);
  const auto id = desk.client.send_head({{":method", "CONNECT"},
                                         {":protocol", "websocket"},
                                         {":scheme", "http"},
                                         {":path", "/chat"},
                                         {":authority", "a"}},
                                        false);
  desk.run();
  const DeskStream& stream = desk.stream(id);
  ASSERT_TRUE(stream.seen.request);
  EXPECT_EQ(stream.protocol(), "websocket");
  EXPECT_EQ(stream.request().method, Method::Connect);
  EXPECT_EQ(stream.request().parts.path, "/chat");
  const auto plain = desk.client.send_head({{":method", "CONNECT"}, {":authority", "a:1"}}, false);
  desk.run();
  EXPECT_EQ(desk.stream(plain).request().parts.authority, "a:1");
  EXPECT_EQ(desk.stream(plain).protocol(), "");
}

TEST(Http2Session, cookies_are_joined_again) {
  Desk desk;
  const auto id = desk.client.request("GET", "/", {{"cookie", "a=1"}, {"x", "y"}, {"cookie", "b=2"}, {"cookie", "c"}});
  desk.run();
  EXPECT_EQ(desk.stream(id).request().fields.find("cookie"), "a=1; b=2; c");
  EXPECT_EQ(desk.stream(id).request().fields.count("cookie"), 1U);
}

TEST(Http2Session, the_outcome_does_not_depend_on_the_splits) {
  std::string bytes;
  {
    TestClient client;
    client.request("POST", "/x", {{"content-length", "7"}}, "content");
    bytes = client.output();
  }
  Desk desk;
  for (const char c : bytes) ASSERT_TRUE(desk.receive({&c, 1}));
  EXPECT_EQ(desk.stream(1).content, "content");
  EXPECT_TRUE(desk.stream(1).content_complete());
  EXPECT_EQ(desk.stream(1).content_length(), 7U);
}

TEST(Http2Session, refuses_streams_while_the_owner_has_no_room) {
  Desk desk;
  desk.full = true;
  const auto id = desk.client.request("POST", "/", {}, "content");
  desk.run();
  EXPECT_EQ(desk.client.at(id).error, std::uint32_t{NGHTTP2_REFUSED_STREAM});
  desk.full = false;
  desk.answers = true;
  const auto again = desk.client.request("GET", "/");
  desk.run();
  EXPECT_EQ(desk.client.at(again).status, 200);
}

TEST(Http2Session, what_is_no_http2_ends_it) {
  Desk desk;
  EXPECT_FALSE(desk.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_TRUE(desk.flush());
  EXPECT_EQ(desk.client.goaway(), long{NGHTTP2_PROTOCOL_ERROR});
  EXPECT_TRUE(desk.session.done());
}

}  // namespace
}  // namespace tern::http2
