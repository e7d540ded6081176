#include "load/http_answer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tern::load {
namespace {

struct Transcript {
  std::string bytes;
  Progress end;
  bool closes = false;
  bool to_head = false;
};

const std::vector<Transcript> complete_responses = {
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", Progress::Complete},
    {"HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n", Progress::Complete},
    {"HTTP/1.1 204 No Content\r\n\r\n", Progress::Complete},
    {"HTTP/1.1 304\r\nContent-Length: 5\r\n\r\n", Progress::Complete},
    {"HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n", Progress::Complete, false, true},
    {"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", Progress::Complete},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n0123456789\r\n0\r\nA: b\r\n\r\n",
     Progress::Complete},
    {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na", Progress::Complete, true},
    {"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", Progress::Complete, true},
    {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na", Progress::Complete},
};

TEST(HttpAnswer, ends_with_its_last_byte_however_it_is_split) {
  for (const Transcript& transcript : complete_responses) {
    const std::string_view bytes(transcript.bytes);
    for (std::size_t split = 0; split < bytes.size(); ++split) {
      StatusClasses classes{};
      HttpAnswer answer(classes, transcript.to_head);
      if (split > 0) {
        ASSERT_EQ(answer.receive(bytes.substr(0, split)), Progress::More) << bytes << split;
      }
      ASSERT_EQ(answer.receive(bytes.substr(split)), Progress::Complete) << bytes << split;
      EXPECT_EQ(answer.closes(), transcript.closes) << bytes;
    }
    StatusClasses classes{};
    HttpAnswer answer(classes, transcript.to_head);
    for (std::size_t i = 0; i + 1 < bytes.size(); ++i) ASSERT_EQ(answer.receive(bytes.substr(i, 1)), Progress::More);
    ASSERT_EQ(answer.receive(bytes.substr(bytes.size() - 1)), Progress::Complete) << bytes;
  }
}

TEST(HttpAnswer, without_a_length_ends_with_the_connection) {
  StatusClasses classes{};
  HttpAnswer answer(classes, false);
  EXPECT_EQ(answer.receive("HTTP/1.1 200 OK\r\n\r\nabc"), Progress::More);
  EXPECT_TRUE(answer.closes());
  EXPECT_EQ(answer.end(), Progress::Complete);
  EXPECT_EQ(classes[2], 1U);
  answer.reset();
  EXPECT_EQ(answer.receive("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), Progress::More);
  EXPECT_EQ(answer.end(), Progress::Broken);
}

TEST(HttpAnswer, that_is_no_response_or_more_than_one_is_broken) {
  for (const char* bytes : {"SSH-2.0-OpenSSH\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
                            "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\r\nnothing\r\n\r\n",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
                            "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
                            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"}) {
    StatusClasses classes{};
    HttpAnswer answer(classes, false);
    EXPECT_EQ(answer.receive(bytes), Progress::Broken) << bytes;
  }
}

TEST(HttpAnswer, with_an_endless_head_is_broken) {
  StatusClasses classes{};
  HttpAnswer answer(classes, false);
  const std::string field = "A: " + std::string(60'000, 'a') + "\r\n";
  Progress progress = answer.receive("HTTP/1.1 200 OK\r\n");
  for (int i = 0; i < 5 && progress == Progress::More; ++i) progress = answer.receive(field);
  EXPECT_EQ(progress, Progress::Broken);
}

TEST(HttpAnswer, counts_responses_by_the_first_digit) {
  StatusClasses classes{};
  HttpAnswer answer(classes, false);
  for (const char* status : {"200", "201", "304", "503"}) {
    EXPECT_EQ(answer.receive("HTTP/1.1 " + std::string(status) + " X\r\nContent-Length: 0\r\n\r\n"),
              Progress::Complete);
    answer.reset();
  }
  EXPECT_EQ(classes, (StatusClasses{0, 0, 2, 1, 0, 1}));
}

}  // namespace
}  // namespace tern::load
