// The contract of Connection beyond the transcripts: order of calls, framing, unread content, the state between calls.
#include "http1/connection.hpp"

#include "http1/feed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace tern::http1 {
namespace {

const Limits limits;

// A connection that has received `bytes`, and their first event.
struct Peer {
  explicit Peer(std::string text) : bytes(std::move(text)), connection(limits) {
    bytes.reserve(bytes.size() + padding);
    connection.receive(bytes);
    first = connection.next(head);
  }

  std::string bytes;
  Connection connection;
  RequestHead head;
  Event first = Event::NeedMore;
  std::string out;
};

std::string request(std::string_view fields, std::string_view version = "1.1", std::string_view method = "POST") {
  return std::string(method) + " / HTTP/" + std::string(version) + "\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

TEST(Http1Connection, views_point_into_the_received_bytes) {
  Peer peer(request("A: b\r\n") + "GET");
  ASSERT_EQ(peer.first, Event::Request);
  const std::string& bytes = peer.bytes;
  EXPECT_EQ(peer.head.target.data(), bytes.data() + 5);
  EXPECT_EQ(peer.head.fields[1].value.data(), bytes.data() + bytes.find('b'));
  EXPECT_EQ(peer.connection.consumed(), bytes.size() - 3);
  EXPECT_EQ(peer.connection.unconsumed(), "GET");
}

TEST(Http1Connection, an_incomplete_head_is_not_consumed_and_not_scanned_again) {
  // Linear time cannot be measured reliably; but were the scan not resumed, this would read eight gigabytes.
  Limits wide;
  wide.fields = 200 * 1024;
  Connection connection(wide);
  RequestHead head;
  std::string bytes = request("A: " + std::string(128 * 1024, 'b') + "\r\n");
  bytes.reserve(bytes.size() + padding);
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    connection.receive(std::string_view(bytes).substr(0, size));
    ASSERT_EQ(connection.next(head), Event::NeedMore);
    ASSERT_EQ(connection.consumed(), 0U);
  }
  connection.receive(bytes);
  EXPECT_EQ(connection.next(head), Event::Request);
  EXPECT_EQ(head.fields.size(), 2U);
}

TEST(Http1Connection, bytes_that_were_scanned_are_not_looked_at_again_before_the_end_of_the_head) {
  std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\nA: b";
  bytes.reserve(bytes.size() + 1 + padding);
  Connection connection(limits);
  RequestHead head;
  connection.receive(bytes);
  EXPECT_EQ(connection.next(head), Event::NeedMore);
  bytes.replace(0, bytes.size(), bytes.size(), '\0');  // would be refused if it was seen
  bytes += "c";
  connection.receive(bytes);
  EXPECT_EQ(connection.next(head), Event::NeedMore);
}

TEST(Http1Connection, request_after_request_neither_the_list_of_fields_nor_the_output_grows) {
  Peer peer(request("A: b\r\nC: d\r\n"));
  peer.connection.answer(peer.out, {}, "hello");
  const auto* const fields = peer.head.fields.items().data();
  const std::size_t capacity = peer.out.capacity();
  for (int i = 0; i < 3; ++i) {
    peer.out.clear();
    peer.connection.receive(peer.bytes);
    ASSERT_EQ(peer.connection.next(peer.head), Event::Request);
    peer.connection.answer(peer.out, {}, "hello");
    EXPECT_EQ(peer.head.fields.items().data(), fields);
    EXPECT_EQ(peer.out.capacity(), capacity);
  }
}

TEST(Http1Connection, keep_alive_is_what_version_and_connection_say) {
  const auto keeps = [](std::string_view fields, std::string_view version) {
    return Peer(request(fields, version)).connection.keep_alive();
  };
  EXPECT_TRUE(keeps("", "1.1"));
  EXPECT_TRUE(keeps("Connection: keep-alive\r\n", "1.1"));
  EXPECT_FALSE(keeps("Connection: close\r\n", "1.1"));
  EXPECT_FALSE(keeps("Connection: Foo,\tClose\r\n", "1.1"));
  EXPECT_FALSE(keeps("Connection: close\r\nConnection: keep-alive\r\n", "1.1"));
  EXPECT_TRUE(keeps("Connection: closed\r\n", "1.1"));
  EXPECT_FALSE(keeps("", "1.0"));
  EXPECT_TRUE(keeps("Connection: Keep-Alive\r\n", "1.0"));
  EXPECT_FALSE(keeps("Connection: Keep-Alive, close\r\n", "1.0"));
}

TEST(Http1Connection, facts_about_the_content) {
  Peer none(request(""));
  EXPECT_FALSE(none.connection.has_body());
  EXPECT_EQ(none.connection.content_length(), std::nullopt);
  Peer empty(request("Content-Length: 0\r\n"));
  EXPECT_FALSE(empty.connection.has_body());
  EXPECT_EQ(empty.connection.content_length(), 0U);
  Peer counted(request("Content-Length: 9999999999999999999\r\n"));
  EXPECT_TRUE(counted.connection.has_body());
  EXPECT_EQ(counted.connection.content_length(), 9999999999999999999U);
  Peer chunked(request("Transfer-Encoding: chunked\r\n"));
  EXPECT_TRUE(chunked.connection.has_body());
  EXPECT_TRUE(chunked.connection.chunked());
  EXPECT_EQ(chunked.connection.content_length(), std::nullopt);
}

TEST(Http1Connection, content_that_is_here_already_is_taken_at_once) {
  const std::string bytes = request("Content-Length: 3\r\n") + "abcGET";
  Peer peer(bytes);
  EXPECT_EQ(peer.connection.take_content(), "abc");
  EXPECT_TRUE(peer.connection.content_complete());
  EXPECT_EQ(peer.connection.consumed(), bytes.size() - 3);
  EXPECT_EQ(peer.connection.next(peer.head), Event::NeedMore);
  EXPECT_EQ(peer.connection.waiting_for(), Waiting::Nothing);
}

TEST(Http1Connection, content_that_is_not_all_here_is_not_taken) {
  const std::string bytes = request("Content-Length: 4\r\n") + "abc";
  Peer peer(bytes);
  EXPECT_EQ(peer.connection.take_content(), std::nullopt);
  EXPECT_EQ(peer.connection.next(peer.head), Event::Chunk);
  EXPECT_EQ(peer.connection.chunk(), "abc");
  EXPECT_EQ(peer.connection.next(peer.head), Event::NeedMore);
  EXPECT_FALSE(peer.connection.content_complete());
  Peer chunked(request("Transfer-Encoding: chunked\r\n") + "0\r\n\r\n");
  EXPECT_EQ(chunked.connection.take_content(), std::nullopt);
}

TEST(Http1Connection, the_next_request_waits_for_the_answer) {
  const std::string both = request("") + request("", "1.1", "PUT");
  Peer peer(both);
  EXPECT_EQ(peer.connection.next(peer.head), Event::End);
  EXPECT_EQ(peer.connection.next(peer.head), Event::NeedMore);
  EXPECT_EQ(peer.connection.waiting_for(), Waiting::Nothing);
  peer.connection.answer(peer.out, {}, "");
  EXPECT_EQ(peer.connection.waiting_for(), Waiting::Head);
  EXPECT_EQ(peer.connection.next(peer.head), Event::Request);
  EXPECT_EQ(peer.head.method, Method::Put);
}

TEST(Http1Connection, an_answer_before_end_makes_end_superfluous) {
  const std::string both = request("") + request("", "1.1", "PUT");
  Peer peer(both);
  peer.connection.answer(peer.out, {}, "");
  EXPECT_FALSE(peer.connection.must_close());
  EXPECT_EQ(peer.connection.next(peer.head), Event::Request);
}

TEST(Http1Connection, an_answer_may_begin_before_the_content_has_come) {
  Peer peer(request("Content-Length: 3\r\n"));
  ResponseHead head;
  head.content_length = std::nullopt;
  EXPECT_TRUE(peer.connection.respond(peer.out, head));
  peer.connection.receive("abc");
  EXPECT_EQ(peer.connection.next(peer.head), Event::Chunk);
  peer.connection.write(peer.out, peer.connection.chunk());
  EXPECT_EQ(peer.connection.next(peer.head), Event::End);
  peer.connection.finish(peer.out);
  EXPECT_FALSE(peer.connection.must_close());
  EXPECT_EQ(peer.connection.waiting_for(), Waiting::Idle);
}

TEST(Http1Connection, content_left_unread_closes) {
  Peer peer(request("Content-Length: 3\r\n") + "a");
  peer.connection.answer(peer.out, {}, "");
  EXPECT_TRUE(peer.connection.must_close());
  EXPECT_EQ(peer.connection.next(peer.head), Event::Closed);
}

TEST(Http1Connection, content_is_discarded_without_events_before_the_next_request) {
  Peer peer(request("Content-Length: 3\r\n") + "a");
  EXPECT_TRUE(peer.connection.discard_content(3));
  peer.connection.answer(peer.out, {}, "");
  EXPECT_FALSE(peer.connection.must_close());
  EXPECT_EQ(peer.connection.next(peer.head), Event::NeedMore);
  EXPECT_EQ(peer.connection.waiting_for(), Waiting::Body);
  std::string rest = "bc" + request("", "1.1", "PUT");
  rest.reserve(rest.size() + padding);
  peer.connection.receive(rest);
  EXPECT_EQ(peer.connection.next(peer.head), Event::Request);
  EXPECT_EQ(peer.head.method, Method::Put);
}

TEST(Http1Connection, chunks_are_discarded_and_then_the_answer_is_given) {
  Peer peer(request("Transfer-Encoding: chunked\r\n") + "2\r\na");
  EXPECT_EQ(peer.connection.next(peer.head), Event::Chunk);
  EXPECT_TRUE(peer.connection.discard_content(4));
  std::string rest = "b\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n" + request("");
  rest.reserve(rest.size() + padding);
  peer.connection.receive(rest);
  EXPECT_EQ(peer.connection.next(peer.head), Event::NeedMore);
  EXPECT_TRUE(peer.connection.content_complete());
  peer.connection.answer(peer.out, {}, "");
  EXPECT_FALSE(peer.connection.must_close());
  EXPECT_EQ(peer.connection.next(peer.head), Event::Request);
}

TEST(Http1Connection, too_much_to_discard_closes_and_the_answer_says_so) {
  Peer peer(request("Content-Length: 5\r\n") + "a");
  EXPECT_FALSE(peer.connection.discard_content(4));
  EXPECT_EQ(peer.connection.next(peer.head), Event::Closed);
  peer.connection.answer(peer.out, {}, "");
  EXPECT_NE(peer.out.find("Connection: close\r\n"), std::string::npos);
}

TEST(Http1Connection, too_many_chunks_to_discard_close) {
  Peer peer(request("Transfer-Encoding: chunked\r\n") + "2\r\nab\r\n3\r\nabc\r\n0\r\n\r\n");
  EXPECT_TRUE(peer.connection.discard_content(4));
  peer.connection.answer(peer.out, {}, "");
  EXPECT_FALSE(peer.connection.must_close());
  EXPECT_EQ(peer.connection.next(peer.head), Event::Closed);
  EXPECT_TRUE(peer.connection.must_close());
}

TEST(Http1Connection, bad_framing_of_discarded_content_closes) {
  Peer before(request("Transfer-Encoding: chunked\r\n") + "2\r\nabc");
  EXPECT_TRUE(before.connection.discard_content(9));
  EXPECT_EQ(before.connection.next(before.head), Event::Reject);
  EXPECT_TRUE(before.connection.answer_owed());
  Peer after(request("Transfer-Encoding: chunked\r\n") + "2\r\nabc");
  EXPECT_TRUE(after.connection.discard_content(9));
  after.connection.answer(after.out, {}, "");
  EXPECT_EQ(after.connection.next(after.head), Event::Closed);
  EXPECT_TRUE(after.connection.must_close());
}

TEST(Http1Connection, a_reject_in_the_content_owes_an_answer_only_if_none_has_begun) {
  Peer peer(request("Transfer-Encoding: chunked\r\n") + "x");
  ResponseHead head;
  head.content_length = std::nullopt;
  peer.connection.respond(peer.out, head);
  std::string rest = "x\r\n";
  rest.reserve(rest.size() + padding);
  peer.connection.receive(rest);
  EXPECT_EQ(peer.connection.next(peer.head), Event::Reject);
  EXPECT_FALSE(peer.connection.answer_owed());
  EXPECT_TRUE(peer.connection.must_close());
  peer.connection.finish(peer.out);
  EXPECT_EQ(peer.connection.next(peer.head), Event::Closed);
}

TEST(Http1Connection, expectation_of_continue_lasts_until_content_arrives_or_it_is_answered) {
  const std::string expecting = request("Expect: 100-Continue\r\nContent-Length: 3\r\n");
  Peer waiting(expecting);
  EXPECT_TRUE(waiting.connection.expects_continue());
  waiting.connection.inform(waiting.out, Status::Continue);
  EXPECT_EQ(waiting.out, "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_FALSE(waiting.connection.expects_continue());

  Peer sending(expecting + "a");
  EXPECT_FALSE(sending.connection.expects_continue());
  EXPECT_EQ(sending.connection.next(sending.head), Event::Chunk);
  EXPECT_FALSE(sending.connection.expects_continue());

  EXPECT_TRUE(Peer(request("Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n")).connection.expects_continue());
  EXPECT_TRUE(Peer(request("Expect: 100-continue,\r\nContent-Length: 3\r\n")).connection.expects_continue());
  EXPECT_FALSE(Peer(request("Expect: ,\r\nContent-Length: 3\r\n")).connection.expects_continue());
  EXPECT_FALSE(Peer(request("Expect: 100-continue\r\n")).connection.expects_continue());
  EXPECT_FALSE(Peer(request("Expect: 100-continue\r\nContent-Length: 3\r\n", "1.0")).connection.expects_continue());
  EXPECT_EQ(Peer(request("Expect: other\r\n", "1.0")).first, Event::Request);
}

TEST(Http1Connection, an_answer_instead_of_continue_closes) {
  Peer peer(request("Expect: 100-continue\r\nContent-Length: 3\r\n"));
  EXPECT_FALSE(peer.connection.discard_content(100));
  peer.connection.answer(peer.out, {}, "");
  EXPECT_TRUE(peer.connection.must_close());
  EXPECT_NE(peer.out.find("Connection: close\r\n"), std::string::npos);
  Peer without(request("Expect: 100-continue\r\nContent-Length: 3\r\n"));
  without.connection.answer(without.out, {}, "");
  EXPECT_TRUE(without.connection.must_close());
  EXPECT_NE(without.out.find("Connection: close\r\n"), std::string::npos);
}

TEST(Http1Connection, an_upgrade_needs_both_fields_and_http_1_1) {
  EXPECT_TRUE(Peer(request("Upgrade: websocket\r\nConnection: Upgrade\r\n")).connection.upgrade_requested());
  EXPECT_FALSE(Peer(request("Upgrade: websocket\r\n")).connection.upgrade_requested());
  EXPECT_FALSE(Peer(request("Connection: Upgrade\r\n")).connection.upgrade_requested());
  EXPECT_FALSE(Peer(request("Upgrade: websocket\r\nConnection: Upgrade\r\n", "1.0")).connection.upgrade_requested());
}

TEST(Http1Connection, switching_protocols_hands_the_connection_over) {
  const std::string bytes = request("Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n", "1.1", "GET") + "\x81";
  Peer peer(bytes);
  EXPECT_TRUE(peer.connection.take_content());
  Fields fields;
  fields.set("Sec-WebSocket-Accept", "x");
  ResponseHead head;
  head.status = Status::SwitchingProtocols;
  head.upgrade = "websocket";
  head.fields = &fields;
  EXPECT_FALSE(peer.connection.respond(peer.out, head));
  peer.connection.finish(peer.out);
  EXPECT_EQ(peer.out,
            "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\nConnection: Upgrade\r\nUpgrade: "
            "websocket\r\n\r\n");
  EXPECT_TRUE(peer.connection.switched());
  EXPECT_FALSE(peer.connection.must_close());
  EXPECT_EQ(peer.connection.next(peer.head), Event::Closed);
  EXPECT_EQ(peer.connection.unconsumed(), "\x81");
}

TEST(Http1Connection, abandoned_within_a_head_it_may_be_answered) {
  Peer peer("GET / HT");
  EXPECT_EQ(peer.first, Event::NeedMore);
  EXPECT_EQ(peer.connection.waiting_for(), Waiting::Head);
  peer.connection.abandon();
  EXPECT_TRUE(peer.connection.answer_owed());
  EXPECT_EQ(peer.connection.next(peer.head), Event::Closed);
  ResponseHead head;
  head.status = Status::RequestTimeout;
  peer.connection.answer(peer.out, head, "");
  EXPECT_EQ(peer.out, "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  EXPECT_TRUE(peer.connection.must_close());
}

TEST(Http1Connection, abandoned_between_requests_no_answer_is_owed) {
  Peer peer("");
  peer.connection.abandon();
  EXPECT_FALSE(peer.connection.answer_owed());
  EXPECT_TRUE(peer.connection.must_close());
  EXPECT_EQ(peer.connection.next(peer.head), Event::Closed);
}

TEST(Http1Connection, a_rejected_head_request_is_answered_without_content) {
  Peer peer("HEAD / HTTP/1.1\r\nA : b\r\n\r\n");
  EXPECT_EQ(peer.first, Event::Reject);
  ResponseHead head;
  head.status = peer.connection.rejected().status;
  peer.connection.answer(peer.out, head, "text");
  EXPECT_EQ(peer.out, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 4\r\n\r\n");
}

TEST(Http1ConnectionDeathTest, a_second_answer_is_a_bug) {
  Peer peer(request(""));
  peer.connection.answer(peer.out, {}, "");
  EXPECT_DEATH(peer.connection.answer(peer.out, {}, ""), "one answer");
}

TEST(Http1ConnectionDeathTest, bytes_that_were_not_consumed_must_come_again) {
  Peer peer("GET / HT");
  EXPECT_DEATH(peer.connection.receive("GET"), "given again");
}

}  // namespace
}  // namespace tern::http1
