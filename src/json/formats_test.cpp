#include "json/formats.hpp"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using tern::Format;
using tern::json::detail::has_format;

void expect_all(Format format, bool valid, const std::vector<std::string_view>& texts) {
  for (const std::string_view text : texts) EXPECT_EQ(has_format(format, text), valid) << text;
}

TEST(Formats, takes_mailboxes) {
  const std::string longest_local = std::string(64, 'a') + "@example.org";
  expect_all(Format::Email, true,
             {"a@b", "simple@example.com", "very.common@example.com", "x@example.com", "user+tag@example.com",
              "admin@localhost", "o'brien@example.org", "\" \"@example.org", R"("john..doe"@example.org)",
              R"("a\"b"@example.org)", R"("a@b"@example.org)", "mail%host!x@example.org", "user-@example.org",
              "a@[192.168.2.1]", "a@[IPv6:2001:db8::1]", "a@[ipv6:::1]", "1@2.3", "!#$%&'*+-/=?^_`{|}~@example.org",
              longest_local});
}

TEST(Formats, refuses_what_is_no_mailbox) {
  const std::string long_local = std::string(65, 'a') + "@example.org";
  const std::string long_address = "a@" + std::string(253, 'b');
  expect_all(Format::Email, false,
             {"",
              "@",
              "a",
              "a@",
              "@b",
              "abc.example.com",
              "a@b@c@example.com",
              "just\"not\"right@example.com",
              "a b@example.com",
              ".a@example.com",
              "a.@example.com",
              "a..b@example.com",
              "a@-b.org",
              "a@b-.org",
              "a@b..c",
              "a@.b",
              "a@b.",
              "a@b c",
              "a@[1.2.3]",
              "a@[1.2.3.4",
              "a@1.2.3.4]",
              "a@[IPv6:1]",
              "\"a@b",
              "\"\\\"@example.org",
              "a@ex_ample.org",
              "a\n@example.org",
              "m\xC3\xBCller@example.org",
              "a@b\n",
              std::string_view("a\0b@example.org", 15),
              long_local,
              long_address});
}

// The grammar once more, as an expression: mailboxes whose local part is not quoted, at names of hosts.
class MailboxExpression {
public:
  bool matches(std::string_view text) const {
    const std::size_t sign = text.find('@');
    return text.size() <= 254 && sign <= 64 && re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), regex_);
  }

private:
  re2::RE2 regex_{
      R"([\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@)"
      R"([a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*)"};
};

TEST(Formats, agrees_with_an_expression_on_mailboxes_of_every_length) {
  const MailboxExpression expression;
  constexpr std::string_view pieces = "aZ09mk.-@_+";
  std::mt19937 random(5321);
  std::size_t by_result[2] = {};
  for (std::size_t size = 3; size <= 80; ++size) {
    for (int i = 0; i < 300; ++i) {
      std::string text;
      // Few dots and dashes, so that many are valid.
      while (text.size() < size) text += pieces[random() % 5 == 0 ? random() % 8 : random() % 6];
      text[random() % size] = '@';
      if (i % 3 == 0) text[random() % size] = pieces[random() % pieces.size()];
      if (i % 7 == 0) text[random() % size] = static_cast<char>(random() % 256);
      if (text.contains('"') || text.contains('[')) continue;
      const bool expected = expression.matches(text);
      ASSERT_EQ(has_format(Format::Email, text), expected) << testing::PrintToString(text);
      ++by_result[expected ? 1 : 0];
    }
  }
  EXPECT_GT(by_result[0], 3'000U);
  EXPECT_GT(by_result[1], 3'000U);
}

TEST(Formats, takes_every_byte_of_a_mailbox_into_account) {
  const MailboxExpression expression;
  for (const std::string_view valid :
       {"a.b-c@d-e.fg", "Ada.Lovelace@example.org", "a-b.c@mail.example-of.a.long.name.example.org",
        "mary@a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.example"}) {
    ASSERT_TRUE(has_format(Format::Email, valid)) << valid;
    for (std::size_t at = 0; at < valid.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(valid);
        text[at] = static_cast<char>(byte);
        if (byte == '"' || byte == '[') continue;
        ASSERT_EQ(has_format(Format::Email, text), expression.matches(text)) << testing::PrintToString(text);
      }
    }
  }
}

TEST(Formats, takes_uris) {
  expect_all(
      Format::Uri, true,
      {"http://example.org", "HTTP://EXAMPLE.ORG/", "http://example.org:8080/a/b?c=d&e#f", "urn:isbn:0451450523",
       "mailto:a@b.org", "a:", "file:///etc/hosts", "http://user:pass@host/", "http://[::1]:80/", "http://[v1.x]/",
       "http://h/%7Euser", "http://h?", "http://h#", "http://h:/", "tel:+1-816-555-1212", "data:,x", "x://"});
}

TEST(Formats, refuses_what_is_no_uri) {
  expect_all(Format::Uri, false,
             {"",
              "example.org",
              "/a/b",
              "//example.org",
              ":a",
              "1a://b",
              "http://a b",
              "http://h/%7",
              "http://h/%zz",
              "http://h/<x>",
              "http://h/\"",
              "http://h/\\",
              "http://h/a#b#c",
              "http://[::1",
              "http://[::1]x/",
              "http://[:::1]/",
              "http://h:80a/",
              "http://a@b@c/",
              "http://h/\xC3\xBC",
              "ht_tp://h",
              "http://h/|",
              "http://h/^",
              "http://h/`",
              "http://h/{x}",
              "http://[v.x]/",
              "a\n:b",
              "http://h/\n"});
}

TEST(Formats, knows_dates_that_exist) {
  expect_all(Format::Date, true, {"2024-02-29", "2000-02-29", "2023-12-31", "0000-01-01", "9999-12-31"});
  expect_all(Format::Date, false,
             {"", "2023-02-29", "2024-02-30", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "2024-04-31",
              "24-01-01", "2024-1-1", "2024-01-01 ", " 2024-01-01", "2024-01-01T00:00:00Z", "2024/01/01", "20240101",
              "+2024-01-01", "2024-01-0a"});
  expect_all(
      Format::DateTime, true,
      {"2024-02-29T23:59:59Z", "2024-02-29t23:59:59.123456789z", "2024-01-01T00:00:00+23:59", "2016-12-31T23:59:60Z"});
  expect_all(Format::DateTime, false,
             {"2024-02-30T00:00:00Z", "2024-02-29 23:59:59Z", "2024-02-29T24:00:00Z", "2024-02-29T23:60:00Z",
              "2024-02-28T23:59:60Z", "2024-02-29T23:59:59", "2024-02-29T23:59:59.Z", "2024-02-29T23:59:59+24:00",
              "2024-02-29T23:59:59+0100", "2024-02-29"});
}

TEST(Formats, knows_addresses_and_names_of_hosts) {
  expect_all(Format::Ipv4, true, {"0.0.0.0", "255.255.255.255", "127.0.0.1"});
  expect_all(Format::Ipv4, false,
             {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4 ", "1.2.3.", ".1.2.3", "1..2.3", "0x7f.0.0.1",
              "1.2.3.-4", "1e1.2.3.4", "1.2.3.4."});
  expect_all(Format::Ipv6, true,
             {"::", "::1", "1::", "2001:db8::ff00:42:8329", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8",
              "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "ABCD::"});
  expect_all(Format::Ipv6, false,
             {"", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "1::2::3",
              "12345::", "g::", "1:", ":1", "::1%eth0", "1.2.3.4", "1.2.3.4::", "::1.2.3", "1:2:3:4:5:6:7:1.2.3.4",
              "[::1]", "::1 "});
  const std::string label(63, 'a');
  const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'b');
  expect_all(Format::Hostname, true,
             {"a", "localhost", "example.org", "1.com", "xn--bcher-kva.example", label, longest});
  const std::string long_label = label + "a";
  const std::string too_long = longest + "c";
  expect_all(Format::Hostname, false,
             {"", ".", "a.", ".a", "a..b", "-a", "a-", "a_b", "a b", "b\xC3\xBC", long_label, too_long, "a/b", "a:80"});
}

TEST(Formats, knows_uuids) {
  expect_all(Format::Uuid, true, {"123e4567-e89b-12d3-a456-426614174000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"});
  expect_all(Format::Uuid, false,
             {"", "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-4266141740000",
              "123e4567e89b12d3a456426614174000", "g23e4567-e89b-12d3-a456-426614174000",
              "{23e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456_426614174000"});
}

TEST(Formats, reads_megabytes_once) {
  const std::string atoms = std::string(1'000'000, 'a') + "@b";
  EXPECT_FALSE(has_format(Format::Email, atoms));
  EXPECT_FALSE(has_format(Format::Hostname, std::string(1'000'000, '.')));
  EXPECT_FALSE(has_format(Format::Ipv6, std::string(1'000'000, ':')));
  EXPECT_TRUE(has_format(Format::Uri, "a:" + std::string(1'000'000, '/')));
}

}  // namespace
