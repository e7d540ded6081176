#include "http/log_line.hpp"

#include <tern/http/memory_exchange.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tern {
namespace {

std::string log_line(std::string_view text, LogFields fields, LogFormat format = LogFormat::Text) {
  return http::render({LogLevel::Info, http::app_part, text, fields}, {.format = format}).text;
}

TEST(LogLine, has_fields_of_every_kind) {
  const std::string title = "The Arctic Tern";
  EXPECT_EQ(log_line("sold", {{"id", 7}, {"title", title}, {"by", std::string_view("Anna")}, {"paid", true}}),
            R"(sold id=7 title="The Arctic Tern" by=Anna paid=true)");
  EXPECT_EQ(log_line("", {{"a", -1L}, {"b", std::numeric_limits<std::uint64_t>::max()}, {"c", 0.5}}),
            " a=-1 b=18446744073709551615 c=0.5");
  EXPECT_EQ(log_line("plain", {}), "plain");
}

TEST(LogLine, quotes_text_that_could_be_taken_for_another_field) {
  for (const auto& [value, written] : std::vector<std::pair<std::string, std::string>>{{"", R"("")"},
                                                                                       {"a b", R"("a b")"},
                                                                                       {"x=1", R"("x=1")"},
                                                                                       {R"(")", R"("\"")"},
                                                                                       {R"(\)", R"("\\")"},
                                                                                       {"\xC3\xA9", "\"\xC3\xA9\""},
                                                                                       {"a\nb", "\"a\nb\""}}) {
    EXPECT_EQ(log_line("t", {{"v", value}}), "t v=" + written);
  }
}

TEST(LogLine, names_its_part_unless_it_is_the_application_or_the_server) {
  EXPECT_EQ(http::render({LogLevel::Info, "tls", "loaded"}, {}).text, "[tls] loaded");
  EXPECT_EQ(http::render({LogLevel::Info, "server", "serving"}, {}).text, "serving");
}

TEST(LogLine, is_json_or_logfmt_for_programs) {
  EXPECT_EQ(log_line("sold \"it\"", {{"id", 7}, {"price", 0.5}, {"paid", true}, {"by", "A\nB"}}, LogFormat::Json),
            R"("part":"app","message":"sold \"it\"","id":7,"price":0.5,"paid":true,"by":"A\nB")");
  EXPECT_EQ(log_line("sold it", {{"id", 7}, {"by", "Anna"}}, LogFormat::Logfmt),
            R"(part=app msg="sold it" id=7 by=Anna)");
}

TEST(LogLine, has_method_route_and_ids_of_its_request) {
  MemoryExchange exchange(Method::Post, "/books/7");
  exchange.request().set_id("abc");
  exchange.request().set_trace_id("0af7651916cd43dd8448eb211c80319c");
  const http::LogLine line{LogLevel::Info, "orders", "sold", {}, &exchange.request()};
  const auto text = http::render(line, {});
  EXPECT_EQ(text.text, "[orders] POST /books/7: sold request_id=abc trace_id=0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(text.text.substr(0, text.ids), "[orders] POST /books/7: sold") << "ids make no line a new one";
  EXPECT_EQ(http::render(line, {.format = LogFormat::Json}).text,
            R"("part":"orders","message":"sold","method":"POST","path":"/books/7","request_id":"abc",)"
            R"("trace_id":"0af7651916cd43dd8448eb211c80319c")");
}

TEST(LogLine, has_no_values_of_secret_fields) {
  for (const LogFormat format : {LogFormat::Text, LogFormat::Json, LogFormat::Logfmt}) {
    const std::vector<std::string> more = {"pin"};
    const LogFields fields = {{"Authorization", "Bearer s3cret"}, {"cookie", "s3cret"}, {"PIN", "s3cret"}, {"id", 7}};
    const std::string line = http::render({LogLevel::Info, "app", "x", fields}, {format, more}).text;
    EXPECT_EQ(line.find("s3cret"), std::string::npos) << line;
    EXPECT_NE(line.find("[redacted]"), std::string::npos) << line;
    EXPECT_NE(line.find('7'), std::string::npos) << line;
  }
}

TEST(RequestLog, of_a_logger_names_the_request_and_the_part) {
  MemoryExchange exchange(Method::Get, "/books");
  constexpr Logger orders("orders");
  orders.warning(exchange.request(), "sold out", {{"id", 7}});
  EXPECT_EQ(exchange.reports(), std::vector<std::string>{"[orders] GET /books: sold out id=7"});
}

TEST(RequestLog, names_the_request) {
  MemoryExchange exchange(Method::Post, "/books/7?x=1");
  exchange.request().log(LogLevel::Info, "sold", {{"id", 7}});
  exchange.request().log(LogLevel::Off, "nothing");
  EXPECT_EQ(exchange.reports(), std::vector<std::string>{"POST /books/7: sold id=7"});
}

}  // namespace
}  // namespace tern
