// Content of requests: by length and in chunks, late, too much, unwanted.
#include "server/test_app.hpp"

namespace tern::testing {
namespace {

using Bodies = TestAppTest;

std::string chunks_of(std::string_view body, std::size_t size) {
  std::string out;
  char digits[20];
  while (!body.empty()) {
    const std::string_view piece = body.substr(0, size);
    std::snprintf(digits, sizeof digits, "%zx\r\n", piece.size());
    out.append(digits).append(piece).append("\r\n");
    body.remove_prefix(piece.size());
  }
  return out + "0\r\n\r\n";
}

TEST_F(Bodies, in_chunks_of_every_size) {
  HttpClient client = this->client();
  const std::string body = pattern(100'000);
  for (const std::size_t size : {7UL, 1000UL, 65'536UL, 100'000UL}) {
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks_of(body, size));
    EXPECT_TRUE(client.answer().body == body) << size;
  }
}

TEST_F(Bodies, in_pieces_that_are_cut_anywhere) {
  HttpClient client = this->client();
  const std::string request =
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;a=\"b\"\r\nabcde\r\n1\r\nf\r\n0\r\nTrailer: x\r\n\r\n";
  for (std::size_t first = 60; first < request.size(); first += 3) {
    for (std::size_t second = first; second < request.size(); second += 3) {
      client.send(request.substr(0, first));
      client.send(request.substr(first, second - first));
      client.send(request.substr(second));
      ASSERT_EQ(client.answer().body, "abcdef") << first << ' ' << second;
    }
  }
}

TEST_F(Bodies, are_not_asked_for_when_they_are_there) {
  HttpClient client = this->client();
  client.post("/echo", "body", "Expect: 100-continue\r\n");
  EXPECT_EQ(client.answer().status, 200);
}

TEST_F(Bodies, are_not_requested_when_they_are_unwanted) {
  const std::vector<std::pair<std::string, int>> cases = {{"/nothing", 404}, {"/unread", 200}, {"/hello", 405}};
  for (const auto& [path, status] : cases) {
    HttpClient client = this->client();
    client.send("POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    const HttpAnswer answer = client.answer();
    EXPECT_EQ(answer.status, status);
    EXPECT_TRUE(answer.closes());  // the next bytes could be the content or a request
    EXPECT_TRUE(client.ends());
  }
}

TEST_F(Bodies, that_are_announced_too_large_are_refused_before_they_come) {
  HttpClient client = this->client();
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n");
  const HttpAnswer answer = client.answer();
  EXPECT_EQ(answer.status, 413);
  EXPECT_TRUE(answer.closes());
  EXPECT_TRUE(client.ends());
}

TEST_F(Bodies, that_turn_out_too_large_are_refused) {
  serve({.limits = {.max_body_bytes = 1000}});
  HttpClient client = this->client();
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks_of(pattern(1001), 100));
  EXPECT_EQ(client.answer().status, 413);
  HttpClient slow = this->client();
  slow.send_bytewise("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                     chunks_of(pattern(1001), 100));
  EXPECT_EQ(slow.answer().status, 413);
}

TEST_F(Bodies, a_small_one_that_is_refused_keeps_the_connection) {
  HttpClient client = this->client();
  client.post("/small", pattern(101));
  const HttpAnswer answer = client.answer();
  EXPECT_EQ(answer.status, 413);
  if (!answer.closes()) {
    EXPECT_EQ(client.ask("/hello").status, 200);
  }
}

TEST_F(Bodies, that_are_not_read_are_skipped) {
  HttpClient client = this->client();
  for (const std::size_t size : {0UL, 10UL, 70'000UL, 200'000UL}) {
    client.post("/unread", pattern(size));
    const HttpAnswer answer = client.answer();
    EXPECT_EQ(answer.body, "not looked at");
    EXPECT_FALSE(answer.closes());
    client.send("POST /nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                chunks_of(pattern(size), 5000));
    EXPECT_EQ(client.answer().status, 404);
  }
  EXPECT_EQ(client.ask("/hello").status, 200);
}

TEST_F(Bodies, that_are_not_read_may_arrive_late) {
  HttpClient client = this->client();
  client.send("POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234");
  EXPECT_EQ(client.answer().status, 200);
  client.send("56789GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer().body, "Hello, World!");
}

TEST_F(Bodies, large_unread_ones_close_the_connection_and_the_answer_arrives) {
  HttpClient client = this->client();
  client.post("/unread", pattern(1'000'000));
  const HttpAnswer answer = client.answer();
  EXPECT_EQ(answer.body, "not looked at");
  EXPECT_TRUE(answer.closes());
  EXPECT_TRUE(client.ends());
}

TEST_F(Bodies, large_unread_chunked_ones_close_the_connection) {
  HttpClient client = this->client();
  client.send("POST /unread HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(client.answer().status, 200);
  client.send(chunks_of(pattern(1'000'000), 10'000));
  EXPECT_TRUE(client.ends());
}

// Nor is a peer that never stops read for ever, or what it sends kept.
TEST_F(Bodies, an_endless_unread_one_ends_in_a_reset) {
  HttpClient client = this->client();
  client.send("POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999999\r\n\r\n");
  const std::string piece = pattern(1'000'000);
  int sent = 0;
  while (sent < 100 && client.send(piece)) ++sent;
  EXPECT_LT(sent, 100);
}

TEST_F(Bodies, the_end_of_the_clients_side_within_one_is_no_complete_request) {
  HttpClient client = this->client();
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234");
  client.peer().shutdown_write();
  EXPECT_EQ(client.answer().status, 400);
  EXPECT_TRUE(client.ends());
}

TEST_F(Bodies, of_http_1_0_by_length) {
  HttpClient client = this->client();
  client.send("POST /echo HTTP/1.0\r\nContent-Length: 4\r\n\r\nbody\r\n");
  EXPECT_EQ(client.answer().body, "body");
  EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace tern::testing
