// Requests and responses of a session.
#include "http2/session.hpp"

#include "http2/session_fixture.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>

namespace tern::http2 {
namespace {

TEST(Http2Session, a_head_is_what_http1_makes_of_it) {
  SessionFixture fixture;
  const auto id = fixture.client.request("GET", "/a/../b%20?c=d", {{"accept", "text/html"}, {"x-more", "1"}});
  fixture.run();
  const FixtureStream& stream = fixture.stream(id);
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
  SessionFixture fixture;
  const auto id = fixture.client.request("GET", "/");
  fixture.run();
  Fields fields;
  fields.set("X-Answer", "Yes");
  ResponseHead head;
  head.fields = &fields;
  head.content_type = "text/plain";
  head.date = "now";
  head.server = "tern";
  fixture.session.answer(fixture.stream(id), head, "hello");
  fixture.run();
  const ClientResponse& answer = fixture.client.at(id);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content, "hello");
  EXPECT_EQ(answer.fields, (FieldPairs{{"date", "now"},
                                       {"server", "tern"},
                                       {"content-type", "text/plain"},
                                       {"x-answer", "Yes"},
                                       {"content-length", "5"}}));
  EXPECT_TRUE(fixture.stream(id).seen.answered);
  EXPECT_TRUE(fixture.stream(id).seen.closed);
  EXPECT_FALSE(fixture.stream(id).broken());
  EXPECT_EQ(fixture.session.streams(), 0U);
}

// The type may be a view into the request, which can end before the queued head is sent.
TEST(Http2Session, a_content_type_need_not_last) {
  SessionFixture fixture;
  const auto id = fixture.client.request("GET", "/");
  const auto gone = fixture.client.request("GET", "/");
  fixture.run();
  {
    const auto type = std::make_unique<std::string>("text/a-type-that-is-not-within-the-string-object");
    ResponseHead head;
    head.content_type = *type;
    fixture.session.answer(fixture.stream(id), head, "hello");
    fixture.session.answer(fixture.stream(gone), head, "hello");
    fixture.client.reset(gone);
    ASSERT_TRUE(fixture.receive(fixture.client.output()));
    EXPECT_TRUE(fixture.stream(gone).seen.closed);
    type->assign(type->size(), 'x');
  }
  fixture.run();
  EXPECT_EQ(fixture.client.at(id).field("content-type"), "text/a-type-that-is-not-within-the-string-object");
  EXPECT_EQ(fixture.client.at(gone).status, 0);
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
    SessionFixture fixture;
    const auto id = fixture.client.request(each.method, "/");
    fixture.run();
    fixture.session.answer(fixture.stream(id), {each.status}, "hello");
    fixture.run();
    EXPECT_EQ(fixture.client.at(id).content, "");
    EXPECT_EQ(fixture.client.at(id).field("content-length"), each.length) << each.method;
    EXPECT_TRUE(fixture.client.at(id).ended);
  }
}

TEST(Http2Session, content_comes_with_its_end) {
  SessionFixture fixture;
  const auto id = fixture.client.request("POST", "/", {}, "first", false);
  fixture.run();
  EXPECT_EQ(fixture.stream(id).content, "first");
  EXPECT_FALSE(fixture.stream(id).content_complete());
  fixture.client.send(id, "second", true);
  fixture.run();
  EXPECT_EQ(fixture.stream(id).content, "firstsecond");
  EXPECT_TRUE(fixture.stream(id).content_complete());
}

TEST(Http2Session, a_request_may_have_trailers_which_are_dropped) {
  SessionFixture fixture;
  const auto id = fixture.client.request("POST", "/", {}, "content", false);
  fixture.client.send_trailers(id, {{"x-sum", "1"}});
  fixture.run();
  EXPECT_TRUE(fixture.stream(id).content_complete());
  EXPECT_EQ(fixture.stream(id).request().fields.find("x-sum"), std::nullopt);
  EXPECT_FALSE(fixture.stream(id).seen.closed);
}

TEST(Http2Session, content_that_is_not_read_stops_its_sender) {
  SessionFixture fixture;
  fixture.reads = false;
  const std::size_t window = fixture.limits.stream_window;
  const auto id = fixture.client.request("POST", "/", {}, std::string(3 * window, 'x'), true);
  fixture.run();
  EXPECT_EQ(fixture.stream(id).unread(), window);
  std::string piece;
  fixture.session.read(fixture.stream(id), piece);
  EXPECT_EQ(piece.size(), window);
  fixture.run();
  EXPECT_EQ(fixture.stream(id).unread(), window);
  fixture.session.discard(fixture.stream(id));
  fixture.run();
  EXPECT_FALSE(fixture.stream(id).content_complete()) << "large unwanted content is not requested";
  EXPECT_EQ(fixture.stream(id).unread(), 0U);
}

TEST(Http2Session, unread_content_of_all_streams_is_bounded) {
  SessionFixture fixture;
  fixture.reads = false;
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 10; ++i) {
    ids.push_back(fixture.client.request("POST", "/", {}, std::string(fixture.limits.stream_window, 'x'), false));
  }
  fixture.run();
  const auto unread = [&] {
    std::size_t sum = 0;
    for (const FixtureStream& stream : fixture.streams) sum += stream.unread();
    return sum;
  };
  EXPECT_EQ(unread(), fixture.limits.connection_window);
  for (const auto id : ids) fixture.client.reset(id);  // their resources are free again
  fixture.run();
  EXPECT_EQ(unread(), 0U);
  fixture.reads = true;
  const auto more = fixture.client.request("POST", "/", {}, std::string(2 * fixture.limits.connection_window, 'y'));
  fixture.run();
  EXPECT_EQ(fixture.stream(more).content.size(), 2 * fixture.limits.connection_window);
}

TEST(Http2Session, a_stream_that_stands_alone_leaves_the_window_of_the_connection_to_others) {
  Limits limits;
  limits.connection_window = limits.stream_window;
  SessionFixture fixture(65535, limits);
  fixture.reads = false;
  const auto alone = fixture.client.request("POST", "/", {}, "some", false);
  fixture.run();
  fixture.session.exempt_from_connection_window(fixture.stream(alone));
  fixture.client.send(alone, std::string(1'000'000, 'a'));
  const auto other = fixture.client.request("POST", "/", {}, std::string(100'000, 'o'));
  fixture.run();
  EXPECT_EQ(fixture.stream(alone).unread(), fixture.limits.stream_window);
  EXPECT_EQ(fixture.stream(other).unread(), 100'000U);
  EXPECT_FALSE(fixture.session.window_is_full());
  fixture.session.reset(fixture.stream(alone), ErrorCode::Cancel);
  fixture.session.reset(fixture.stream(other), ErrorCode::Cancel);
  const auto last = fixture.client.request("POST", "/", {}, std::string(200'000, 'l'));
  fixture.run();
  EXPECT_EQ(fixture.stream(last).unread(), 200'000U);
}

TEST(Http2Session, what_has_left_takes_no_memory_when_it_is_trimmed) {
  SessionFixture fixture(1 << 20);
  fixture.client.open_window();
  const auto id = fixture.client.request("GET", "/");
  fixture.run();
  FixtureStream& stream = fixture.stream(id);
  fixture.session.respond(stream, {});
  fixture.session.write(stream, std::string(100'000, 'x'));
  fixture.session.trim(stream);
  EXPECT_EQ(stream.unsent(), 100'000U);
  fixture.run();
  fixture.session.trim(stream);
  fixture.session.write(stream, "more");
  fixture.session.finish(stream, Fields());
  fixture.run();
  EXPECT_EQ(fixture.client.at(id).content.size(), 100'004U);
  EXPECT_LT(stream.take_owned().capacity(), 100U);
}

TEST(Http2Session, an_answer_waits_for_the_clients_window) {
  SessionFixture fixture(1000);
  const auto id = fixture.client.request("GET", "/");
  fixture.run();
  const std::string content(5000, 'x');
  nghttp2_session_set_local_window_size(fixture.client.session(), NGHTTP2_FLAG_NONE, id, 1000);
  fixture.session.answer(fixture.stream(id), {}, std::string(content));
  fixture.run();
  EXPECT_EQ(fixture.client.at(id).content, content);  // nghttp2's client opens the window as it reads
  EXPECT_TRUE(fixture.stream(id).seen.room);
}

TEST(Http2Session, content_that_is_made_on_the_way_ends_in_trailers) {
  SessionFixture fixture;
  const auto id = fixture.client.request("GET", "/");
  fixture.run();
  FixtureStream& stream = fixture.stream(id);
  EXPECT_TRUE(fixture.session.respond(stream, {}));
  fixture.run();
  EXPECT_EQ(fixture.client.at(id).status, 200);
  fixture.session.write(stream, "one ");
  EXPECT_EQ(stream.unsent(), 4U);
  fixture.run();
  EXPECT_EQ(stream.unsent(), 0U);
  fixture.session.write(stream, "two");
  Fields trailers;
  trailers.set("X-Sum", "7");
  fixture.session.finish(stream, trailers);
  fixture.run();
  EXPECT_EQ(fixture.client.at(id).content, "one two");
  EXPECT_EQ(fixture.client.at(id).trailers, (FieldPairs{{"x-sum", "7"}}));
  EXPECT_TRUE(fixture.client.at(id).ended);
  EXPECT_EQ(fixture.client.at(id).field("content-length"), "");
}

TEST(Http2Session, an_end_may_come_after_everything_was_sent) {
  SessionFixture fixture;
  const auto id = fixture.client.request("GET", "/");
  fixture.run();
  fixture.session.respond(fixture.stream(id), {});
  fixture.session.write(fixture.stream(id), "all");
  fixture.run();
  fixture.session.finish(fixture.stream(id), {});
  fixture.run();
  EXPECT_TRUE(fixture.client.at(id).ended);
  EXPECT_EQ(fixture.client.at(id).content, "all");
}

TEST(Http2Session, interim_responses_come_before) {
  SessionFixture fixture;
  const auto id = fixture.client.request("POST", "/", {{"expect", "100-continue, 100-continue,"}}, {}, false);
  fixture.run();
  EXPECT_TRUE(fixture.stream(id).expects_continue());
  fixture.session.inform(fixture.stream(id), Status::Continue);
  EXPECT_FALSE(fixture.stream(id).expects_continue());
  Fields fields;
  fields.set("Link", "</a>; rel=preload");
  fixture.session.inform(fixture.stream(id), Status::EarlyHints, &fields);
  fixture.session.answer(fixture.stream(id), {}, "x");
  fixture.run();
  EXPECT_EQ(fixture.client.at(id).interim, (std::vector<int>{100, 103}));
  EXPECT_EQ(fixture.client.at(id).status, 200);
}

TEST(Http2Session, an_answer_before_the_end_of_the_request_stops_it_without_error) {
  SessionFixture fixture;
  const auto id = fixture.client.request("POST", "/", {{"content-length", "100000"}}, "some", false);
  fixture.run();
  fixture.session.discard(fixture.stream(id));
  fixture.session.answer(fixture.stream(id), {}, "enough");
  fixture.run();
  EXPECT_EQ(fixture.client.at(id).content, "enough");
  EXPECT_TRUE(fixture.client.at(id).closed);
  EXPECT_EQ(fixture.client.at(id).error, std::uint32_t{NGHTTP2_NO_ERROR});
  EXPECT_TRUE(fixture.stream(id).seen.closed);
}

TEST(Http2Session, a_little_content_behind_an_answer_is_taken_and_much_is_not) {
  SessionFixture fixture;
  const auto id = fixture.client.request("POST", "/", {}, "some", false);
  fixture.run();
  fixture.session.discard(fixture.stream(id));
  fixture.session.answer(fixture.stream(id), {}, "enough");
  fixture.client.send(id, std::string(60000, 'x'));
  fixture.run();
  EXPECT_FALSE(fixture.client.at(id).closed);
  fixture.client.send(id, std::string(10000, 'x'));
  fixture.run();
  EXPECT_TRUE(fixture.client.at(id).closed);
  EXPECT_EQ(fixture.client.at(id).error, std::uint32_t{NGHTTP2_NO_ERROR});
}

TEST(Http2Session, a_reset_by_either_side_ends_the_stream) {
  SessionFixture fixture;
  const auto ours = fixture.client.request("GET", "/");
  const auto theirs = fixture.client.request("GET", "/");
  fixture.run();
  fixture.session.reset(fixture.stream(ours), ErrorCode::Internal);
  fixture.client.reset(theirs);
  fixture.run();
  EXPECT_EQ(fixture.client.at(ours).error, std::uint32_t{NGHTTP2_INTERNAL_ERROR});
  EXPECT_TRUE(fixture.stream(ours).broken());
  EXPECT_TRUE(fixture.stream(theirs).broken());
  fixture.session.answer(fixture.stream(theirs), {}, "too late");  // no effect
  fixture.run();
  EXPECT_EQ(fixture.client.at(theirs).status, 0);
}

TEST(Http2Session, the_answer_to_a_ping_before_a_drain_is_not_the_one_to_the_drain) {
  SessionFixture fixture;
  fixture.run();
  fixture.session.ping();
  fixture.flush();
  const std::string answer = fixture.client.output();
  EXPECT_FALSE(answer.empty());
  fixture.session.drain();
  fixture.receive(answer);
  EXPECT_FALSE(fixture.session.refusing_streams());
  fixture.run();
  EXPECT_TRUE(fixture.session.refusing_streams());
}

TEST(Http2Session, what_the_owner_throws_ends_it) {
  SessionFixture fixture;
  ASSERT_TRUE(fixture.receive(client_preface()));
  fixture.flush();
  fixture.fails = true;
  const std::string request =
      frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, 1, get_block());
  EXPECT_THROW(fixture.receive(request), std::bad_alloc);
  EXPECT_TRUE(fixture.session.failed());
  EXPECT_TRUE(fixture.session.done());
  EXPECT_FALSE(fixture.receive(request));
  EXPECT_FALSE(fixture.flush());
}

TEST(Http2Session, a_drain_is_announced_and_then_final) {
  SessionFixture fixture;
  const auto early = fixture.client.request("GET", "/");
  fixture.run();
  fixture.session.drain();
  const auto crossing = fixture.client.request("GET", "/");  // sent before the client knows of the GOAWAY
  const std::string up = fixture.client.output();
  fixture.flush();
  EXPECT_EQ(fixture.client.goaway(), long{NGHTTP2_NO_ERROR});
  EXPECT_EQ(fixture.client.last_stream(), 0x7fffffff);
  EXPECT_FALSE(fixture.session.refusing_streams());
  fixture.receive(up);
  fixture.run();
  EXPECT_TRUE(fixture.session.refusing_streams());
  EXPECT_EQ(fixture.client.last_stream(), crossing);
  EXPECT_FALSE(fixture.session.done());
  for (const auto id : {early, crossing}) fixture.session.answer(fixture.stream(id), {}, "bye");
  fixture.run();
  EXPECT_EQ(fixture.client.at(early).content, "bye");
  EXPECT_EQ(fixture.client.at(crossing).content, "bye");
  EXPECT_TRUE(fixture.session.done());
}

TEST(Http2Session, offers_extended_connect_only_if_enabled) {
  SessionFixture fixture;
  fixture.run();
  EXPECT_EQ(nghttp2_session_get_remote_settings(fixture.client.session(), NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL),
            0U);
  fixture.client.send_head({{":method", "CONNECT"},
                            {":protocol", "websocket"},
                            {":scheme", "http"},
                            {":path", "/chat"},
                            {":authority", "a"}},
                           false);
  fixture.run();
  EXPECT_EQ(fixture.requests(), 0U);
}

TEST(Http2Session, gives_extended_connect_with_its_protocol) {
  Limits limits;
  limits.extended_connect = true;
  SessionFixture fixture(65535, limits);
  fixture.run();
  EXPECT_EQ(nghttp2_session_get_remote_settings(fixture.client.session(), NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL),
            1U);
  const auto id = fixture.client.send_head({{":method", "CONNECT"},
                                            {":protocol", "websocket"},
                                            {":scheme", "http"},
                                            {":path", "/chat"},
                                            {":authority", "a"}},
                                           false);
  fixture.run();
  const FixtureStream& stream = fixture.stream(id);
  ASSERT_TRUE(stream.seen.request);
  EXPECT_EQ(stream.protocol(), "websocket");
  EXPECT_EQ(stream.request().method, Method::Connect);
  EXPECT_EQ(stream.request().parts.path, "/chat");
  const auto plain = fixture.client.send_head({{":method", "CONNECT"}, {":authority", "a:1"}}, false);
  fixture.run();
  EXPECT_EQ(fixture.stream(plain).request().parts.authority, "a:1");
  EXPECT_EQ(fixture.stream(plain).protocol(), "");
}

TEST(Http2Session, cookies_are_joined_again) {
  SessionFixture fixture;
  const auto id =
      fixture.client.request("GET", "/", {{"cookie", "a=1"}, {"x", "y"}, {"cookie", "b=2"}, {"cookie", "c"}});
  fixture.run();
  EXPECT_EQ(fixture.stream(id).request().fields.find("cookie"), "a=1; b=2; c");
  EXPECT_EQ(fixture.stream(id).request().fields.count("cookie"), 1U);
}

TEST(Http2Session, the_outcome_does_not_depend_on_the_splits) {
  std::string bytes;
  {
    TestClient client;
    client.request("POST", "/x", {{"content-length", "7"}}, "content");
    bytes = client.output();
  }
  SessionFixture fixture;
  for (const char c : bytes) ASSERT_TRUE(fixture.receive({&c, 1}));
  EXPECT_EQ(fixture.stream(1).content, "content");
  EXPECT_TRUE(fixture.stream(1).content_complete());
  EXPECT_EQ(fixture.stream(1).content_length(), 7U);
}

TEST(Http2Session, refuses_streams_while_the_owner_has_no_room) {
  SessionFixture fixture;
  fixture.full = true;
  const auto id = fixture.client.request("POST", "/", {}, "content");
  fixture.run();
  EXPECT_EQ(fixture.client.at(id).error, std::uint32_t{NGHTTP2_REFUSED_STREAM});
  fixture.full = false;
  fixture.answers = true;
  const auto again = fixture.client.request("GET", "/");
  fixture.run();
  EXPECT_EQ(fixture.client.at(again).status, 200);
}

TEST(Http2Session, what_is_no_http2_ends_it) {
  SessionFixture fixture;
  EXPECT_FALSE(fixture.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_TRUE(fixture.flush());
  EXPECT_EQ(fixture.client.goaway(), long{NGHTTP2_PROTOCOL_ERROR});
  EXPECT_TRUE(fixture.session.done());
}

}  // namespace
}  // namespace tern::http2
