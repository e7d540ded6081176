#include <tern/http/cookie.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <stdexcept>
#include <string>

namespace tern {
namespace {

SetCookie simple(std::string name = "id", std::string value = "42") {
  SetCookie cookie;
  cookie.name = std::move(name);
  cookie.value = std::move(value);
  return cookie;
}

RequestFields with(std::initializer_list<std::string_view> values) {
  RequestFields fields;
  for (const std::string_view value : values) fields.add("Cookie", value);
  return fields;
}

TEST(Cookie, is_careful_unless_told_otherwise) {
  EXPECT_EQ(to_field_value(simple()), "id=42; Path=/; Secure; HttpOnly; SameSite=Lax");
}

TEST(Cookie, writes_every_attribute) {
  SetCookie cookie = simple();
  cookie.path = "/a";
  cookie.domain = "example.org";
  cookie.max_age = Seconds(3600);
  cookie.same_site = SameSite::None;
  EXPECT_EQ(to_field_value(cookie),
            "id=42; Path=/a; Domain=example.org; Max-Age=3600; Secure; HttpOnly; SameSite=None");
}

TEST(Cookie, leaves_out_what_is_off) {
  SetCookie cookie = simple("id", "");
  cookie.path = "";
  cookie.secure = cookie.http_only = false;
  cookie.same_site = SameSite::Unset;
  EXPECT_EQ(to_field_value(cookie), "id=");
  cookie.same_site = SameSite::Strict;
  cookie.max_age = Seconds(0);
  EXPECT_EQ(to_field_value(cookie), "id=; Max-Age=0; SameSite=Strict");
}

TEST(Cookie, refuses_a_name_that_is_not_a_token) {
  for (const char* name : {"", "a b", "a=b", "a;b", "a\r\nb"}) {
    EXPECT_THROW(to_field_value(simple(name)), std::invalid_argument) << name;
  }
}

TEST(Cookie, takes_exactly_the_cookie_octets_in_a_value) {
  for (int byte = 0; byte < 256; ++byte) {
    const bool octet = byte == 0x21 || (byte >= 0x23 && byte <= 0x2B) || (byte >= 0x2D && byte <= 0x3A) ||
                       (byte >= 0x3C && byte <= 0x5B) || (byte >= 0x5D && byte <= 0x7E);  // RFC 6265, section 4.1.1
    const SetCookie cookie = simple("id", std::string(1, static_cast<char>(byte)));
    if (octet) {
      EXPECT_NO_THROW(to_field_value(cookie)) << byte;
    } else {
      EXPECT_THROW(to_field_value(cookie), std::invalid_argument) << byte;
    }
  }
}

TEST(Cookie, lets_no_path_or_domain_add_an_attribute) {
  for (const char* text : {"/; Domain=evil.example", "/\r\nset-cookie: a=b", "/\x01", "/\x7F", "/\xC3\xA4"}) {
    SetCookie cookie = simple();
    cookie.path = text;
    EXPECT_THROW(to_field_value(cookie), std::invalid_argument) << text;
    cookie = simple();
    cookie.domain = text;
    EXPECT_THROW(to_field_value(cookie), std::invalid_argument) << text;
  }
}

TEST(Cookie, refuses_same_site_none_without_secure) {
  SetCookie cookie = simple();
  cookie.same_site = SameSite::None;
  cookie.secure = false;
  EXPECT_THROW(to_field_value(cookie), std::invalid_argument);
}

TEST(SetCookieField, is_at_most_as_large_as_browsers_keep) {
  EXPECT_NO_THROW(to_field_value({.name = "name", .value = std::string(4092, 'x')}));
  EXPECT_THROW(to_field_value({.name = "name", .value = std::string(4093, 'x')}), std::invalid_argument);
}

TEST(FindCookie, finds_each_of_several) {
  const RequestFields fields = with({"a=1; b=2; c=3"});
  EXPECT_EQ(find_cookie(fields, "a"), "1");
  EXPECT_EQ(find_cookie(fields, "b"), "2");
  EXPECT_EQ(find_cookie(fields, "c"), "3");
  EXPECT_FALSE(find_cookie(fields, "d"));
}

TEST(FindCookie, looks_through_several_fields_in_any_case_and_no_other) {
  RequestFields fields;
  fields.add("X-Cookie", "a=0");
  fields.add("cookie", "a=1");
  fields.add("COOKIE", "b=2; a=3");
  EXPECT_EQ(find_cookie(fields, "a"), "1");
  EXPECT_EQ(find_cookie(fields, "b"), "2");
}

std::string refusal_of(const SetCookie& cookie) {
  try {
    return to_field_value(cookie);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(SetCookie, can_be_partitioned) {
  EXPECT_EQ(to_field_value({.name = "a", .value = "b", .same_site = SameSite::None, .partitioned = true}),
            "a=b; Path=/; Secure; HttpOnly; Partitioned; SameSite=None");
  EXPECT_EQ(refusal_of({.name = "a", .value = "b", .secure = false, .partitioned = true}),
            "cookie 'a' is Partitioned without Secure: browsers refuse it");
}

TEST(SetCookie, keeps_the_conditions_of_its_prefix) {
  EXPECT_EQ(refusal_of({.name = "__Host-a", .value = "b"}), "__Host-a=b; Path=/; Secure; HttpOnly; SameSite=Lax");
  EXPECT_EQ(refusal_of({.name = "__Secure-a", .value = "b", .path = "/x", .domain = "a.org"}),
            "__Secure-a=b; Path=/x; Domain=a.org; Secure; HttpOnly; SameSite=Lax");
  EXPECT_EQ(refusal_of({.name = "__Secure-a", .value = "b", .secure = false}),
            "cookie '__Secure-a' has the prefix __Secure-, but is not Secure: browsers refuse it");
  EXPECT_EQ(refusal_of({.name = "__HOST-a", .value = "b", .secure = false}),
            "cookie '__HOST-a' has the prefix __Host-, but is not Secure: browsers refuse it");
  EXPECT_EQ(refusal_of({.name = "__Host-a", .value = "b", .domain = "a.org"}),
            "cookie '__Host-a' has the prefix __Host-, but has a Domain: browsers refuse it");
  EXPECT_EQ(refusal_of({.name = "__Host-a", .value = "b", .path = "/x"}),
            "cookie '__Host-a' has the prefix __Host-, but its Path is not '/': browsers refuse it");
}

TEST(FindCookie, compares_whole_names_with_their_case) {
  const RequestFields fields = with({"session=1; Session=2; ses=3"});
  EXPECT_EQ(find_cookie(fields, "Session"), "2");
  EXPECT_EQ(find_cookie(fields, "ses"), "3");
  EXPECT_FALSE(find_cookie(fields, "SESSION"));
  EXPECT_FALSE(find_cookie(fields, "sessio"));
}

TEST(FindCookie, keeps_equals_signs_in_a_value) {
  EXPECT_EQ(find_cookie(with({"token=YWI=; x=="}), "token"), "YWI=");
  EXPECT_EQ(find_cookie(with({"token=YWI=; x=="}), "x"), "=");
}

TEST(FindCookie, takes_quotes_off_only_in_pairs) {
  EXPECT_EQ(find_cookie(with({"a=\"v\""}), "a"), "v");
  EXPECT_EQ(find_cookie(with({"a=\"\""}), "a"), "");
  EXPECT_EQ(find_cookie(with({"a=\""}), "a"), "\"");
  EXPECT_EQ(find_cookie(with({"a=\"v"}), "a"), "\"v");
}

TEST(FindCookie, passes_over_what_is_no_pair) {
  const RequestFields fields = with({"", ";", ";;a ;flag; =x;b=1;", " \t c=2\t"});
  EXPECT_FALSE(find_cookie(fields, "flag"));
  EXPECT_FALSE(find_cookie(fields, "a"));
  EXPECT_EQ(find_cookie(fields, "b"), "1");
  EXPECT_EQ(find_cookie(fields, "c"), "2");
}

TEST(FindCookie, finds_nothing_without_cookies) {
  EXPECT_FALSE(find_cookie(RequestFields(), "a"));
}

}  // namespace
}  // namespace tern
