// Malformed requests by RFC 9113, field by field.
#include "http2/request_rules.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>
#include <utility>

namespace tern::http2 {
namespace {

using Verdict = RequestRules::Verdict;
using Pairs = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// The verdict on the first field that is not good, or on the complete block.
Verdict judge(Pairs fields, bool extended_connect = false, bool trailers = false) {
  RequestRules rules(extended_connect);
  rules.begin(trailers);
  for (const auto& [name, value] : fields) {
    const Verdict verdict = rules.field(name, false, value);
    if (verdict != Verdict::Good) return verdict;
  }
  return trailers || rules.complete() ? Verdict::Good : Verdict::Malformed;
}

Verdict with(std::string_view name, std::string_view value) {
  return judge({{":method", "POST"}, {":scheme", "http"}, {":authority", "a"}, {":path", "/"}, {name, value}});
}

TEST(RequestRules, a_request_has_method_scheme_path_and_authority_or_host) {
  EXPECT_EQ(judge({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}}), Verdict::Good);
  EXPECT_EQ(judge({{":method", "GET"}, {":scheme", "HTTPS"}, {":path", "/"}, {"host", "a"}}), Verdict::Good);
  EXPECT_EQ(judge({{":scheme", "http"}, {":path", "/"}, {":authority", "a"}}), Verdict::Malformed);
  EXPECT_EQ(judge({{":method", "GET"}, {":path", "/"}, {":authority", "a"}}), Verdict::Malformed);
  EXPECT_EQ(judge({{":method", "GET"}, {":scheme", "http"}, {":authority", "a"}}), Verdict::Malformed);
  EXPECT_EQ(judge({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}}), Verdict::Malformed);
  EXPECT_EQ(judge({}), Verdict::Malformed);
}

TEST(RequestRules, pseudo_fields_come_once_first_and_with_a_value) {
  EXPECT_EQ(with(":path", "/"), Verdict::Malformed);
  EXPECT_EQ(with(":method", "POST"), Verdict::Malformed);
  EXPECT_EQ(with(":scheme", "http"), Verdict::Malformed);
  EXPECT_EQ(with(":authority", "a"), Verdict::Malformed);
  EXPECT_EQ(with(":status", "200"), Verdict::Malformed);
  EXPECT_EQ(with(":unknown", "x"), Verdict::Malformed);
  EXPECT_EQ(with(":", "x"), Verdict::Malformed);
  EXPECT_EQ(with(":protocol", "websocket"), Verdict::Malformed);
  EXPECT_EQ(judge({{":method", "GET"}, {"x", "y"}, {":scheme", "http"}}), Verdict::Malformed);
  EXPECT_EQ(judge({{":method", ""}}), Verdict::Malformed);
  EXPECT_EQ(judge({{":method", "G T"}}), Verdict::Malformed);
  EXPECT_EQ(judge({{":path", ""}}), Verdict::Malformed);
  EXPECT_EQ(judge({{":path", "/ "}}), Verdict::Malformed);
  EXPECT_EQ(judge({{":authority", "\t"}}), Verdict::Malformed);
  EXPECT_EQ(judge({{":scheme", "1http"}}), Verdict::Malformed);
  EXPECT_EQ(judge({{":scheme", "h ttp"}}), Verdict::Malformed);
}

TEST(RequestRules, a_path_begins_with_a_slash_where_the_scheme_is_http) {
  const auto path = [](std::string_view method, std::string_view scheme, std::string_view target) {
    return judge({{":method", method}, {":scheme", scheme}, {":path", target}, {":authority", "a"}});
  };
  EXPECT_EQ(path("OPTIONS", "http", "*"), Verdict::Good);
  EXPECT_EQ(path("GET", "http", "*"), Verdict::Malformed);
  EXPECT_EQ(path("GET", "https", "a"), Verdict::Malformed);
  EXPECT_EQ(path("GET", "ftp", "a"), Verdict::Good);
}

TEST(RequestRules, a_connect_has_an_authority_only) {
  EXPECT_EQ(judge({{":method", "CONNECT"}, {":authority", "a:1"}}), Verdict::Good);
  EXPECT_EQ(judge({{":method", "CONNECT"}}), Verdict::Malformed);
  EXPECT_EQ(judge({{":method", "CONNECT"}, {":authority", "a:1"}, {":path", "/"}}), Verdict::Malformed);
  EXPECT_EQ(judge({{":method", "CONNECT"}, {":authority", "a:1"}, {":scheme", "http"}}), Verdict::Malformed);
}

TEST(RequestRules, an_extended_connect_has_everything) {
  const auto extended = [](std::string_view method, bool allowed) {
    return judge({{":method", method}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}, {":protocol", "x"}},
                 allowed);
  };
  EXPECT_EQ(extended("CONNECT", true), Verdict::Good);
  EXPECT_EQ(extended("CONNECT", false), Verdict::Malformed);
  EXPECT_EQ(extended("GET", true), Verdict::Malformed);
  EXPECT_EQ(
      judge({{":method", "CONNECT"}, {":scheme", "http"}, {":path", "/"}, {":protocol", "x"}, {"host", "a"}}, true),
      Verdict::Malformed);
}

TEST(RequestRules, a_protocol_and_a_host_come_once) {
  EXPECT_EQ(judge({{":method", "CONNECT"}, {":protocol", "x"}}, true), Verdict::Malformed);  // not complete
  RequestRules rules(true);
  rules.begin(false);
  EXPECT_EQ(rules.field(":protocol", false, "x"), Verdict::Good);
  EXPECT_EQ(rules.field(":protocol", false, "x"), Verdict::Malformed);
  rules.begin(false);
  EXPECT_EQ(rules.field("host", false, "a"), Verdict::Good);
  EXPECT_EQ(rules.field("host", false, "a"), Verdict::Malformed);
}

TEST(RequestRules, fields_of_a_connection_are_malformed) {
  for (const std::string_view name : {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"}) {
    EXPECT_EQ(with(name, "x"), Verdict::Malformed) << name;
  }
  EXPECT_EQ(with("te", "gzip"), Verdict::Malformed);
  EXPECT_EQ(with("te", "Trailers"), Verdict::Good);
}

TEST(RequestRules, names_are_in_lower_case_and_characters_are_looked_at) {
  EXPECT_EQ(with("X-Upper", "x"), Verdict::Malformed);
  EXPECT_EQ(with("x y", "x"), Verdict::Invalid);
  EXPECT_EQ(with("", "x"), Verdict::Invalid);
  EXPECT_EQ(with("x", "a\x01"), Verdict::Invalid);
  EXPECT_EQ(with("x", " a"), Verdict::Invalid);
  EXPECT_EQ(with("x", "a\r\nb: c"), Verdict::Invalid);
  EXPECT_EQ(with("x", "a "), Verdict::Invalid);
  EXPECT_EQ(with("x", "a\t"), Verdict::Invalid);
  EXPECT_EQ(with("x", "a\x7f"), Verdict::Invalid);
  EXPECT_EQ(with("x", std::string_view("a\0b", 3)), Verdict::Invalid);
  EXPECT_EQ(with("x", std::string_view("\0", 1)), Verdict::Invalid);
  EXPECT_EQ(with("x", "a\tb \xe4"), Verdict::Good);
  EXPECT_EQ(with(std::string_view("x\0", 2), "x"), Verdict::Invalid);
  EXPECT_EQ(with("x\x7f", "x"), Verdict::Invalid);
  EXPECT_EQ(with("host", "a b"), Verdict::Invalid);
  EXPECT_EQ(with("host", ""), Verdict::Malformed);
  EXPECT_EQ(with("x", ""), Verdict::Good);
}

TEST(RequestRules, lengths_are_numbers_and_said_once) {
  EXPECT_EQ(with("content-length", "7"), Verdict::Good);
  EXPECT_EQ(with("content-length", "9999999999999999999"), Verdict::Good);
  EXPECT_EQ(with("content-length", "10000000000000000000"), Verdict::Malformed);  // fits into 64 bits
  for (const std::string_view value : {"", "x", "-1", "+1", "1,1", "99999999999999999999"}) {
    EXPECT_NE(with("content-length", value), Verdict::Good) << value;
  }
  RequestRules rules(false);
  rules.begin(false);
  EXPECT_EQ(rules.field("content-length", false, "7"), Verdict::Good);
  EXPECT_EQ(rules.length(), 7U);
  EXPECT_EQ(rules.field("content-length", false, "7"), Verdict::Malformed);
  rules.begin(false);
  EXPECT_EQ(rules.length(), std::nullopt);
  rules.field(":method", false, "CONNECT");
  rules.field("content-length", false, "7");
  EXPECT_EQ(rules.length(), std::nullopt);
}

TEST(RequestRules, trailers_have_no_pseudo_fields) {
  EXPECT_EQ(judge({{"x", "y"}}, false, true), Verdict::Good);
  EXPECT_EQ(judge({{":path", "/"}}, false, true), Verdict::Malformed);
  EXPECT_EQ(judge({{"connection", "close"}}, false, true), Verdict::Malformed);
  EXPECT_EQ(judge({{"content-length", "1"}}, false, true), Verdict::Malformed);
}

TEST(RequestRules, priorities_are_read_as_far_as_they_are_understood) {
  const auto is = [](std::string_view value, int urgency, bool incremental) {
    const Priority priority = parse_priority(value, std::nullopt).value_or(Priority());
    return priority.urgency == urgency && priority.incremental == incremental;
  };
  EXPECT_TRUE(is("", 3, false));
  EXPECT_TRUE(is("u=0", 0, false));
  EXPECT_TRUE(is("i, u=7", 7, true));
  EXPECT_TRUE(is("u=1;x=y,\ti=?1;z", 1, true));
  EXPECT_TRUE(is("i,i=?0,u=1,u=2", 2, false));
  EXPECT_TRUE(is("u=8", 3, false));
  EXPECT_TRUE(is("u=-1", 3, false));
  EXPECT_TRUE(is("u=1.5", 3, false));
  EXPECT_TRUE(is("x=\"u=0, i\", u=5", 5, false));
  EXPECT_TRUE(is("x=\"", 3, false));
  EXPECT_EQ(parse_priority("u=8, x", std::nullopt), std::nullopt);
  EXPECT_EQ(parse_priority("u=8, x", Priority{1, true}), (Priority{1, true}));
  RequestRules rules(false);
  rules.begin(false);
  EXPECT_FALSE(rules.priority().has_value());
  rules.field("priority", false, "i");
  rules.field("priority", false, "u=2");
  ASSERT_TRUE(rules.priority().has_value());
  EXPECT_EQ(rules.priority()->urgency, 2);
  EXPECT_TRUE(rules.priority()->incremental);
}

}  // namespace
}  // namespace tern::http2
