// The cache recognises equal heads, and only those.
#include "http1/request_head_cache.hpp"
#include "http1/connection.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tern::http1 {
namespace {

constexpr std::string_view whole =
    "POST /a/b.c?d=e HTTP/1.1\r\nHost: example.org\r\nContent-Length: 3\r\nCookie:  a=b \r\nEmpty:\r\n\r\n";

// Parses heads without a cache, and stores them.
class RequestHeadCacheTest : public ::testing::Test {
protected:
  struct Parsed {
    RequestHead head;
    Framing framing;
  };

  // The first head of a connection is not stored.
  RequestHeadCacheTest() { read_and_store("GET /first HTTP/1.1\r\nHost: a\r\n\r\n"); }

  void read_and_store(std::string_view bytes) {
    padded_ = std::string(bytes) + std::string(padding, '\0');
    Connection connection(limits_);
    connection.receive(std::string_view(padded_).substr(0, bytes.size()));
    RequestHead head;
    ASSERT_EQ(connection.next(head), Event::Request);
    Framing framing;
    framing.method = head.method;
    framing.version = head.version;
    framing.length = connection.content_length().value_or(0);
    if (connection.content_length()) framing.set(Framing::HasLength);
    cache_.store(std::string_view(padded_).substr(0, bytes.size()), bytes.find("\r\n") + 2, head, framing);
  }

  RequestHeadCache cache_;
  Limits limits_;
  std::string padded_;
};

TEST_F(RequestHeadCacheTest, gives_a_head_back_as_views_into_the_new_bytes) {
  read_and_store(whole);
  padded_.assign(padded_.size(), 'x');
  const std::string again = std::string(whole) + "abc";
  RequestHead head;
  Framing framing;
  ASSERT_EQ(cache_.read_head(again, head, framing), whole.size());
  EXPECT_EQ(head.target, "/a/b.c?d=e");
  EXPECT_EQ(head.parts.path, "/a/b.c");
  EXPECT_EQ(head.parts.query, "d=e");
  EXPECT_TRUE(head.parts.authority.empty());
  EXPECT_TRUE(head.plain_path);
  ASSERT_EQ(head.fields.size(), 4U);
  EXPECT_EQ(head.fields[0].name, "Host");
  EXPECT_EQ(head.fields[0].value, "example.org");
  EXPECT_EQ(head.fields[2].value, "a=b");
  EXPECT_EQ(head.fields[3].name, "Empty");
  EXPECT_EQ(head.fields[3].value, "");
  EXPECT_EQ(head.fields[0].name.data(), again.data() + again.find("Host"));
  EXPECT_EQ(framing.method, Method::Post);
  EXPECT_EQ(framing.length, 3U);
}

TEST_F(RequestHeadCacheTest, takes_no_head_in_which_any_byte_is_different_or_missing) {
  read_and_store(whole);
  RequestHead head;
  Framing framing;
  const std::size_t fields = whole.find("\r\n") + 2;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int bit : {0, 5, 7}) {
      std::string other(whole);
      other[at] = static_cast<char>(other[at] ^ (1 << bit));
      EXPECT_EQ(cache_.read_head(other, head, framing), 0U) << at;
      if (at < fields) continue;
      EXPECT_EQ(cache_.read_fields(std::string_view(other).substr(fields), head, framing), 0U) << at;
    }
    EXPECT_EQ(cache_.read_head(whole.substr(0, at), head, framing), 0U) << at;
  }
  EXPECT_TRUE(head.fields.empty());
}

TEST_F(RequestHeadCacheTest, takes_the_fields_behind_another_request_line_of_the_same_version) {
  read_and_store(whole);
  const std::string fields = std::string(whole.substr(whole.find("\r\n") + 2)) + "abc";
  RequestHead head;
  Framing framing;
  framing.method = Method::Put;
  ASSERT_EQ(cache_.read_fields(fields, head, framing), fields.size() - 3);
  EXPECT_EQ(framing.method, Method::Put);
  EXPECT_TRUE(framing.has(Framing::HasLength));
  ASSERT_EQ(head.fields.size(), 4U);
  EXPECT_EQ(head.fields[1].value, "3");
  EXPECT_EQ(head.fields[1].value.data(), fields.data() + fields.find('3'));
  framing.version = Version::Http10;
  EXPECT_EQ(cache_.read_fields(fields, head, framing), 0U);
}

TEST_F(RequestHeadCacheTest, keeps_neither_large_heads_nor_many_fields_nor_other_forms_of_target) {
  const std::string large =
      "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(RequestHeadCache::max_bytes, 'x') + "\r\n\r\n";
  std::string many = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (std::size_t i = 0; i < RequestHeadCache::max_fields; ++i) many += "X: y\r\n";
  many += "\r\n";
  const std::string absolute = "GET http://a HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const std::string& text : {large, many, absolute}) {
    read_and_store(text);
    RequestHead head;
    Framing framing;
    EXPECT_EQ(cache_.read_head(text, head, framing), 0U);
  }
}

TEST_F(RequestHeadCacheTest, of_heads_that_always_differ_one_in_sixteen_is_stored_until_one_is_repeated) {
  RequestHead head;
  Framing framing;
  std::string last;
  auto store_another = [&, number = 0]() mutable {
    last = "GET / HTTP/1.1\r\nHost: a\r\nX-Request: " + std::to_string(number++) + "\r\n\r\n";
    read_and_store(last);
  };
  for (int i = 0; i < 4; ++i) store_another();  // so often without use
  int stored = 0;
  for (int i = 0; i < 16; ++i) {
    store_another();
    if (cache_.read_head(last, head, framing) == 0) continue;
    ++stored;
    break;  // a use: the next are stored again
  }
  EXPECT_EQ(stored, 1);
  store_another();
  EXPECT_NE(cache_.read_head(last, head, framing), 0U);
}

TEST_F(RequestHeadCacheTest, of_heads_that_always_differ_most_are_not_stored) {
  RequestHead head;
  Framing framing;
  const auto head_of = [](int number) { return "GET /" + std::to_string(number) + " HTTP/1.1\r\nHost: a\r\n\r\n"; };
  for (int i = 10; i < 15; ++i) read_and_store(head_of(i));
  EXPECT_EQ(cache_.read_head(head_of(14), head, framing), 0U);
}

TEST_F(RequestHeadCacheTest, a_client_that_asks_for_something_else_each_time_is_known_by_its_fields) {
  const std::string_view fields = "Host: a\r\nX: y\r\n\r\n";
  read_and_store("GET /0 HTTP/1.1\r\n" + std::string(fields));
  for (int i = 1; i < 100; ++i) {
    RequestHead head;
    Framing framing;
    EXPECT_EQ(cache_.read_head("GET /" + std::to_string(i) + " HTTP/1.1\r\n" + std::string(fields), head, framing), 0U);
    EXPECT_EQ(cache_.read_fields(fields, head, framing), fields.size()) << i;
  }
}

TEST_F(RequestHeadCacheTest, does_not_store_the_first_head_of_a_connection) {
  RequestHeadCache fresh;
  std::swap(cache_, fresh);
  RequestHead head;
  Framing framing;
  read_and_store(whole);
  EXPECT_EQ(cache_.read_head(whole, head, framing), 0U);
  read_and_store(whole);
  EXPECT_EQ(cache_.read_head(whole, head, framing), whole.size());
}

}  // namespace
}  // namespace tern::http1
