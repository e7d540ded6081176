// Heads that are known are taken for what they are, and nothing else is.
#include "http1/known_heads.hpp"
#include "http1/connection.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace tern::http1 {
namespace {

constexpr std::string_view whole =
    "POST /a/b.c?d=e HTTP/1.1\r\nHost: example.org\r\nContent-Length: 3\r\nCookie:  a=b \r\nEmpty:\r\n\r\n";

// Reads heads the plain way, and keeps them.
class KnownHeadsTest : public ::testing::Test {
protected:
  struct Known {
    RequestHead head;
    Facts facts;
  };

  void read_and_keep(std::string_view bytes, KnownHeads::Place& place) {
    padded_ = std::string(bytes) + std::string(padding, '\0');
    Connection connection(limits_);
    connection.receive(std::string_view(padded_).substr(0, bytes.size()));
    RequestHead head;
    ASSERT_EQ(connection.next(head), Event::Request);
    Facts facts;
    facts.method = head.method;
    facts.version = head.version;
    facts.length = connection.content_length().value_or(0);
    if (connection.content_length()) facts.set(Facts::HasLength);
    known_.keep(std::string_view(padded_).substr(0, bytes.size()), bytes.find("\r\n") + 2, head, facts, place);
  }

  KnownHeads known_;
  Limits limits_;
  std::string padded_;
};

TEST_F(KnownHeadsTest, gives_a_head_back_as_views_into_the_new_bytes) {
  KnownHeads::Place place;
  read_and_keep(whole, place);
  padded_.assign(padded_.size(), 'x');
  const std::string again = std::string(whole) + "abc";
  RequestHead head;
  Facts facts;
  ASSERT_EQ(known_.read_head(again, place, head, facts), whole.size());
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
  EXPECT_EQ(facts.method, Method::Post);
  EXPECT_EQ(facts.length, 3U);
}

TEST_F(KnownHeadsTest, has_a_memo_for_a_head_and_none_for_fields_alone) {
  KnownHeads::Place place;
  read_and_keep(whole, place);
  RequestHead head;
  Facts facts;
  ASSERT_NE(known_.read_head(whole, place, head, facts), 0U);
  ASSERT_NE(head.memo, nullptr);
  EXPECT_EQ(*head.memo, nullptr);
  *head.memo = this;
  RequestHead again;
  ASSERT_NE(known_.read_head(whole, place, again, facts), 0U);
  EXPECT_EQ(*again.memo, this);

  RequestHead of_fields;
  ASSERT_NE(known_.read_fields(whole.substr(whole.find("\r\n") + 2), place, of_fields, facts), 0U);
  EXPECT_EQ(of_fields.memo, nullptr);

  // What another head has led to is forgotten when its place is taken, as the same head takes its own here.
  read_and_keep(whole, place);
  ASSERT_NE(known_.read_head(whole, place, again, facts), 0U);
  EXPECT_EQ(*again.memo, nullptr);
}

TEST_F(KnownHeadsTest, takes_no_head_in_which_any_byte_is_different_or_missing) {
  KnownHeads::Place place;
  read_and_keep(whole, place);
  RequestHead head;
  Facts facts;
  const std::size_t fields = whole.find("\r\n") + 2;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int bit : {0, 5, 7}) {
      std::string other(whole);
      other[at] = static_cast<char>(other[at] ^ (1 << bit));
      EXPECT_EQ(known_.read_head(other, place, head, facts), 0U) << at;
      if (at < fields) continue;
      EXPECT_EQ(known_.read_fields(std::string_view(other).substr(fields), place, head, facts), 0U) << at;
    }
    EXPECT_EQ(known_.read_head(whole.substr(0, at), place, head, facts), 0U) << at;
  }
  EXPECT_TRUE(head.fields.empty());
}

TEST_F(KnownHeadsTest, takes_the_fields_behind_another_request_line_of_the_same_version) {
  KnownHeads::Place place;
  read_and_keep(whole, place);
  const std::string fields = std::string(whole.substr(whole.find("\r\n") + 2)) + "abc";
  RequestHead head;
  Facts facts;
  facts.method = Method::Put;
  ASSERT_EQ(known_.read_fields(fields, place, head, facts), fields.size() - 3);
  EXPECT_EQ(facts.method, Method::Put);
  EXPECT_TRUE(facts.has(Facts::HasLength));
  ASSERT_EQ(head.fields.size(), 4U);
  EXPECT_EQ(head.fields[1].value, "3");
  EXPECT_EQ(head.fields[1].value.data(), fields.data() + fields.find('3'));
  facts.version = Version::Http10;
  EXPECT_EQ(known_.read_fields(fields, place, head, facts), 0U);
}

TEST_F(KnownHeadsTest, keeps_neither_large_heads_nor_many_fields_nor_other_forms_of_target) {
  const std::string large = "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(KnownHeads::max_bytes, 'x') + "\r\n\r\n";
  std::string many = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (std::size_t i = 0; i < KnownHeads::max_fields; ++i) many += "X: y\r\n";
  many += "\r\n";
  const std::string absolute = "GET http://a HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const std::string& text : {large, many, absolute}) {
    KnownHeads::Place place;
    read_and_keep(text, place);
    RequestHead head;
    Facts facts;
    EXPECT_EQ(known_.read_head(text, place, head, facts), 0U);
    EXPECT_EQ(place.misses, 0);
  }
}

TEST_F(KnownHeadsTest, a_client_whose_heads_always_differ_is_tried_now_and_then_until_one_comes_again) {
  KnownHeads::Place place;
  RequestHead head;
  Facts facts;
  std::string last;
  int kept = 0;
  for (int i = 0; i < 100; ++i) {
    last = "GET / HTTP/1.1\r\nHost: a\r\nX-Request: " + std::to_string(i) + "\r\n\r\n";
    read_and_keep(last, place);
    KnownHeads::Place look = place;
    if (known_.read_head(last, look, head, facts) != 0) ++kept;
  }
  EXPECT_EQ(kept, 4 + 96 / 16);
  while (known_.read_head(last, place, head, facts) == 0) read_and_keep(last, place);
  EXPECT_EQ(place.misses, 0);
}

TEST_F(KnownHeadsTest, a_client_that_asks_for_something_else_each_time_is_known_by_its_fields) {
  KnownHeads::Place place;
  const std::string_view fields = "Host: a\r\nX: y\r\n\r\n";
  read_and_keep("GET /0 HTTP/1.1\r\n" + std::string(fields), place);
  for (int i = 1; i < 100; ++i) {
    RequestHead head;
    Facts facts;
    EXPECT_EQ(known_.read_head("GET /" + std::to_string(i) + " HTTP/1.1\r\n" + std::string(fields), place, head, facts),
              0U);
    EXPECT_EQ(known_.read_fields(fields, place, head, facts), fields.size()) << i;
  }
}

TEST_F(KnownHeadsTest, connections_of_clients_that_are_alike_share_one) {
  KnownHeads::Place one;
  KnownHeads::Place other;
  read_and_keep(whole, one);
  read_and_keep(whole, other);
  EXPECT_EQ(one.slot, other.slot);
}

}  // namespace
}  // namespace tern::http1
