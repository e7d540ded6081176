#include "web/coding_testing.hpp"
#include "web/encoder.hpp"

#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <string>

namespace tern::web {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using testing::TestResponse;

std::string encoded(std::string_view coding, std::string_view content) {
  std::string coded;
  if (coding == "deflate") {
    uLongf size = compressBound(content.size());
    coded.resize(size);
    compress(reinterpret_cast<Bytef*>(coded.data()), &size, reinterpret_cast<const Bytef*>(content.data()),
             content.size());
    coded.resize(size);
    return coded;
  }
  const ContentCoding kind = coding == "br"     ? ContentCoding::Brotli
                             : coding == "zstd" ? ContentCoding::Zstd
                                                : ContentCoding::Gzip;
  make_encoder(kind, {.level = 5, .size = content.size()})->encode(content, Step::Finish, coded);
  return coded;
}

const char* const every_coding[] = {"gzip", "x-gzip", "GZIP", "deflate", "br", "zstd"};

class Decompression : public ::testing::Test {
protected:
  Decompression() {
    app.use(Decompress());
    app.post("/echo",
             [](const Request& request) { return Response::bytes(media::bytes, std::string(request.body())); });
    app.post("/sum", [](Json<std::vector<int>> numbers) {
      int sum = 0;
      for (const int number : *numbers) sum += number;
      return std::to_string(sum);
    });
    app.post("/pieces", [this](BodyStream body) -> Task<std::string> {
      std::size_t total = 0;
      while (const auto piece = co_await body.next()) {
        total += piece->size();
        largest_piece = std::max(largest_piece, piece->size());
        co_await sleep_for(Milliseconds(1));
      }
      co_return std::to_string(total);
    });
    app.post("/small", [](const Request& request) { return std::to_string(request.body().size()); })
        .limits({.max_body_bytes = 10'000});
    app.post("/unread", [] { return "fine"; });
  }

  TestResponse post(const std::string& path, const std::string& coding, std::string body) {
    Client client(app);
    client.with("content-encoding", coding);
    return client.post(path, std::move(body));
  }

  App app;
  std::size_t largest_piece = 0;
};

TEST_F(Decompression, every_coding_is_decoded) {
  for (const char* coding : every_coding) {
    for (const std::size_t size : {0U, 1U, 1000U, 32'768U, 100'000U, 3'000'000U}) {
      const std::string content = compressible_text(size);
      const TestResponse answer = post("/echo", coding, encoded(coding, content));
      EXPECT_EQ(answer.status, 200) << coding << ' ' << size;
      EXPECT_EQ(answer.body, content) << coding << ' ' << size;
    }
    const std::string noise = random_letters(500'000);
    EXPECT_EQ(post("/echo", coding, encoded(coding, noise)).body, noise) << coding;
  }
}

TEST_F(Decompression, extractors_get_the_decoded_content) {
  EXPECT_EQ(post("/sum", "zstd", encoded("zstd", "[1, 2, 3]")).body, "6");
  EXPECT_EQ(post("/sum", "gzip", encoded("gzip", "[1, 2")).status, 400);
}

TEST_F(Decompression, a_body_stream_gets_it_in_small_pieces) {
  const std::string content = compressible_text(2'000'000);
  for (const char* coding : every_coding) {
    EXPECT_EQ(post("/pieces", coding, encoded(coding, content)).body, "2000000") << coding;
  }
  EXPECT_LE(largest_piece, 64U * 1024);
}

TEST_F(Decompression, content_without_a_coding_is_left_alone) {
  const std::string coded = encoded("gzip", "abc");
  EXPECT_EQ(post("/echo", "identity", coded).body, coded);
  EXPECT_EQ(post("/echo", "", coded).body, coded);
  EXPECT_EQ(Client(app).post("/echo", coded).body, coded);
}

TEST_F(Decompression, codings_in_sequence_are_undone_from_the_last) {
  const std::string content = compressible_text(300'000);
  const std::string twice = encoded("br", encoded("gzip", content));
  EXPECT_EQ(post("/echo", "gzip, br", twice).body, content);
  EXPECT_EQ(post("/echo", "gzip, identity,, br", twice).body, content);
  EXPECT_EQ(post("/echo", "br, gzip", twice).status, 400);
  EXPECT_EQ(post("/echo", "gzip, br, zstd", encoded("zstd", twice)).body, content);
  EXPECT_EQ(post("/echo", "gzip, br, zstd, gzip", encoded("gzip", encoded("zstd", twice))).status, 415);
}

TEST_F(Decompression, an_unknown_coding_is_415_with_the_known_ones) {
  for (const char* coding : {"compress", "gzip, exi", "*", "gzip;q=1", "br br"}) {
    const TestResponse answer = post("/echo", coding, "abc");
    EXPECT_EQ(answer.status, 415) << coding;
    EXPECT_EQ(answer.field("accept-encoding"), "zstd, br, gzip, deflate");
  }
}

TEST_F(Decompression, truncated_content_is_400) {
  for (const char* coding : every_coding) {
    const std::string coded = encoded(coding, compressible_text(2000));
    for (std::size_t size = 1; size < coded.size(); ++size) {
      EXPECT_EQ(post("/echo", coding, coded.substr(0, size)).status, 400) << coding << ' ' << size;
    }
  }
  const std::string twice = encoded("br", encoded("gzip", "abc").substr(0, 15));
  EXPECT_EQ(post("/echo", "gzip, br", twice).status, 400);
}

TEST_F(Decompression, data_behind_the_end_is_400) {
  for (const char* coding : every_coding) {
    const std::string coded = encoded(coding, "abc");
    EXPECT_EQ(post("/echo", coding, coded + "x").status, 400) << coding;
    EXPECT_EQ(post("/echo", coding, coded + std::string(100'000, '\0')).status, 400) << coding;
    EXPECT_EQ(post("/pieces", coding, coded + "x").status, 400) << coding;
  }
  EXPECT_EQ(post("/echo", "br", encoded("br", "abc") + encoded("br", "def")).status, 400);
  EXPECT_EQ(post("/echo", "deflate", encoded("deflate", "abc") + encoded("deflate", "def")).status, 400);
}

TEST_F(Decompression, members_and_frames_follow_one_another) {
  EXPECT_EQ(post("/echo", "gzip", encoded("gzip", "abc") + encoded("gzip", "") + encoded("gzip", "def")).body,
            "abcdef");
  EXPECT_EQ(post("/echo", "zstd", encoded("zstd", "abc") + encoded("zstd", "") + encoded("zstd", "def")).body,
            "abcdef");
}

TEST_F(Decompression, garbage_is_400) {
  for (const char* coding : every_coding) {
    EXPECT_EQ(post("/echo", coding, random_letters(5000)).status, 400) << coding;
    std::string broken = encoded(coding, compressible_text(100'000));
    broken[broken.size() / 2] = static_cast<char>(~broken[broken.size() / 2]);
    const TestResponse answer = post("/echo", coding, broken);
    const bool has_checksum = std::string_view(coding) != "br" && std::string_view(coding) != "zstd";
    EXPECT_TRUE(answer.status == 400 || !has_checksum) << coding;
  }
}

TEST_F(Decompression, the_limit_applies_to_the_decoded_content) {
  for (const char* coding : every_coding) {
    EXPECT_EQ(post("/small", coding, encoded(coding, std::string(10'000, 'a'))).body, "10000") << coding;
    const TestResponse answer = post("/small", coding, encoded(coding, std::string(10'001, 'a')));
    EXPECT_EQ(answer.status, 413) << coding;
    EXPECT_EQ(post("/echo", coding, encoded(coding, std::string(10 * 1024 * 1024 + 1, 'a'))).status, 413) << coding;
  }
}

// A first decoder may not produce more than the limit either, whatever the second one makes of it.
TEST_F(Decompression, a_bomb_of_empty_members_is_413) {
  const std::string member = encoded("gzip", "");
  std::string members;
  while (members.size() < 20'000'000) members += member;
  const std::string bomb = encoded("zstd", members);
  EXPECT_LT(bomb.size(), 100'000U);
  EXPECT_EQ(post("/echo", "gzip, zstd", bomb).status, 413);
}

TEST_F(Decompression, a_handler_that_does_not_read_never_meets_the_content) {
  EXPECT_EQ(post("/unread", "gzip", "garbage").body, "fine");
}

TEST_F(Decompression, twice_decodes_once) {
  App nested;
  nested.use(Decompress());
  nested.post("/", [](const Request& request) { return std::string(request.body()); }).use(Decompress());
  Client client(nested);
  client.with("content-encoding", "br");
  EXPECT_EQ(client.post("/", encoded("br", "abc")).body, "abc");
}

TEST_F(Decompression, no_content_is_no_content) {
  EXPECT_EQ(post("/echo", "gzip", "").status, 200);
}

TEST_F(Decompression, requests_and_responses_are_coded_independently) {
  app.post("/both", [](const Request& request) { return Response::text(std::string(request.body())); }).use(Compress());
  const std::string content = compressible_text(5000);
  Client client(app);
  client.with("content-encoding", "zstd").with("accept-encoding", "br");
  EXPECT_EQ(decoded("br", client.post("/both", encoded("zstd", content)).body), content);
}

}  // namespace
}  // namespace tern::web
