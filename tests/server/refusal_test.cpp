// Rejected requests, over a socket: the status, and the end of the connection.
#include "server/test_app.hpp"

#include <string>
#include <vector>

namespace tern::testing {
namespace {

using namespace std::string_literals;

struct Refusal {
  std::string input;
  int status = 400;
  std::string detail = {};  // part of it
};

std::string with(std::string_view fields) {
  return "POST /echo HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

std::string chunked(std::string_view content) {
  return with("Transfer-Encoding: chunked\r\n") + std::string(content);
}

std::string lines(std::string_view line, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += line;
  return all;
}

std::vector<Refusal> heads() {
  const std::string get = "GET /hello HTTP/1.1\r\n";
  std::vector<Refusal> all = {
      {with("Content-Length: 1\r\nContent-Length: 1\r\n")},
      {with("Content-Length: 1\r\nContent-Length: 2\r\n")},
      {with("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n")},
      {with("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n")},
      {with("Transfer-Encoding: gzip\r\n")},
      {with("Transfer-Encoding: gzip, chunked\r\n"), 501},
      {"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 501},
      {std::string(9'000, 'A') + " /hello HTTP/1.1\r\nHost: a\r\n\r\n", 501},
      {with("Transfer-Encoding: chunked, chunked\r\n")},
      {with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
      {"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {get + "Host : a\r\n\r\n"},
      {get + " Host: a\r\n\r\n"},
      {get + "Host: a\r\nA: b\r\n c\r\n\r\n"},
      {get + "Host: a\r\n: b\r\n\r\n"},
      {get + "Host: a\r\nnothing\r\n\r\n"},
      {get + "Host: a\r\nA: b\0c\r\n\r\n"s},
      {get + "Host: a\r\nA: b\rc\r\n\r\n"},
      {get + "Host: a\r\nA: b\nB: c\r\n\r\n"},
      {"GET /hello HTTP/1.1\nHost: a\n\n"},
      {get + "\r\n"},
      {get + "Host: a\r\nHost: a\r\n\r\n"},
      {get + "Host: a b\r\n\r\n"},
      {"GET /hello HTTP/2.0\r\nHost: a\r\n\r\n", 505},
      {"GET /hello HTTP/11\r\nHost: a\r\n\r\n"},
      {"GET /hello\r\n\r\n"},
      {"G@T /hello HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"\x16\x03\x01\x02\x05\x01"s},
      {with("Expect: something\r\n"), 417},
      {get + "Host: a\r\n" + lines("A: b\r\n", 200) + "\r\n", 431},
      {get + "Host: a\r\nA: " + std::string(90'000, 'x') + "\r\n\r\n", 431},
      {"GET /" + std::string(9'000, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n", 414},
  };
  for (const char* length : {"", "+1", "-1", "0x1", "1,1", "1, 1", "1 1", "1.0", "99999999999999999999"}) {
    all.push_back({with("Content-Length: " + std::string(length) + "\r\n")});
  }
  return all;
}

std::vector<Refusal> contents() {
  std::vector<Refusal> all = {
      {chunked("1;" + std::string(20'000, 'x') + "\r\nx\r\n0\r\n\r\n"), 400, "the chunk extensions are too large"},
      {chunked("1;=\r\nx\r\n0\r\n\r\n"), 400, "a chunk extension is malformed"},
      {chunked("0\r\nA: " + std::string(9'000, 'x') + "\r\n\r\n"), 431, "the trailers are too large"},
      {chunked("0\r\n" + lines("A: b\r\n", 101) + "\r\n"), 431, "too many trailers"},
      {chunked("0\r\nA\r\n\r\n"), 400, "a field line without a colon"},
      {chunked("1\r\nxyz\r\n0\r\n\r\n"), 400, "a chunk's data does not end in CRLF"},
      {chunked("1\r\nx0\r\n\r\n"), 400, "a chunk's data does not end in CRLF"},
      {chunked("1\nx\r\n"), 400, "LF without CR"},
      {chunked("1\rx\r\n"), 400, "CR without LF"},
      {chunked("1\0\r\nx"s), 400, "a control byte"},
  };
  for (const char* size : {"", "+1", "-1", "0x1", " 1", "1 ", "g", "00000000000000001", "fffffffffffffffff"}) {
    all.push_back({chunked(std::string(size) + "\r\n"), 400, "a chunk's size is malformed"});
  }
  return all;
}

class Refusals : public TestAppTest {
protected:
  void expect_refused(HttpClient& client, const Refusal& refusal) {
    const HttpAnswer answer = client.answer();
    EXPECT_EQ(answer.status, refusal.status) << refusal.input.substr(0, 100);
    EXPECT_EQ(answer.closes(), !refusal.input.contains("HTTP/1.0")) << refusal.input.substr(0, 100);
    EXPECT_TRUE(client.ends()) << refusal.input.substr(0, 100);
  }
  void expect_content_refused(HttpClient& client, const Refusal& refusal) {
    const HttpAnswer answer = client.answer();
    EXPECT_EQ(answer.status, refusal.status) << refusal.input.substr(0, 100);
    EXPECT_TRUE(answer.body.contains(refusal.detail)) << refusal.input.substr(0, 100) << answer.body;
    EXPECT_TRUE(answer.closes()) << refusal.input.substr(0, 100);
    EXPECT_TRUE(client.ends()) << refusal.input.substr(0, 100);
  }
};

TEST_F(Refusals, of_heads_are_answered_and_close) {
  for (const Refusal& refusal : heads()) {
    HttpClient client = this->client();
    client.send(refusal.input);
    expect_refused(client, refusal);
  }
}

TEST_F(Refusals, come_behind_the_answers_to_the_good_requests_before) {
  for (const Refusal& refusal : heads()) {
    HttpClient client = this->client();
    client.send("GET /user/1 HTTP/1.1\r\nHost: a\r\n\r\nGET /user/2 HTTP/1.1\r\nHost: a\r\n\r\n" + refusal.input +
                "GET /user/3 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.answer().body, "1");
    EXPECT_EQ(client.answer().body, "2");
    expect_refused(client, refusal);
  }
}

TEST_F(Refusals, come_behind_a_late_answer) {
  HttpClient client = this->client();
  client.send("GET /late/1 HTTP/1.1\r\nHost: a\r\n\r\nBAD\r\n\r\n");
  ASSERT_TRUE(test_app.gate.await());
  test_app.gate.open();
  EXPECT_EQ(client.answer().body, "1");
  EXPECT_EQ(client.answer().status, 400);
  EXPECT_TRUE(client.ends());
}

TEST_F(Refusals, do_not_depend_on_how_the_bytes_arrive) {
  for (const Refusal& refusal : heads()) {
    if (refusal.input.size() > 1000) continue;
    HttpClient client = this->client();
    client.send_bytewise(refusal.input);
    expect_refused(client, refusal);
  }
}

TEST_F(Refusals, of_content_are_answered_and_close) {
  for (const Refusal& refusal : contents()) {
    HttpClient client = this->client();
    client.send(refusal.input);
    expect_content_refused(client, refusal);
  }
}

TEST_F(Refusals, of_content_do_not_depend_on_how_the_bytes_arrive) {
  for (const Refusal& refusal : contents()) {
    if (refusal.input.size() > 1000) continue;
    HttpClient client = this->client();
    client.send_bytewise(refusal.input);
    expect_content_refused(client, refusal);
  }
}

TEST_F(Refusals, of_content_are_the_same_where_it_is_streamed) {
  test_app.app.post("/sizes", [](BodyStream body) -> Task<std::string> {
    std::size_t size = 0;
    while (const auto piece = co_await body.next()) size += piece->size();
    co_return std::to_string(size);
  });
  for (const bool bytewise : {false, true}) {
    for (Refusal refusal : contents()) {
      if (bytewise && refusal.input.size() > 1000) continue;
      refusal.input.replace(refusal.input.find("/echo"), 5, "/sizes");
      HttpClient client = this->client();
      if (bytewise) {
        client.send_bytewise(refusal.input);
      } else {
        client.send(refusal.input);
      }
      expect_content_refused(client, refusal);
    }
  }
}

// The answer is out already; all that is left is to close.
TEST_F(Refusals, of_unwanted_content_close_the_connection) {
  for (const Refusal& refusal : contents()) {
    const std::size_t content = refusal.input.find("\r\n\r\n") + 4;
    HttpClient client = this->client();
    client.send("POST /unread HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    EXPECT_EQ(client.answer().status, 200);
    client.send(refusal.input.substr(content));
    EXPECT_TRUE(client.ends()) << refusal.input.substr(0, 100);
  }
}

TEST_F(Refusals, an_endless_line_is_cut_off) {
  HttpClient client = this->client();
  const std::string piece(10'000, 'x');
  client.send("GET /hello HTTP/1.1\r\nHost: a\r\nX: ");
  for (int i = 0; i < 100 && client.send(piece); ++i) {
  }
  EXPECT_EQ(client.answer().status, 431);
}

}  // namespace
}  // namespace tern::testing
