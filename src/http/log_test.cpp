#include <tern/http/log.hpp>

#include <tern/http/memory_exchange.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tern {
namespace {

TEST(LogLine, has_fields_of_every_kind) {
  const std::string title = "The Arctic Tern";
  EXPECT_EQ(http::log_line("sold", {{"id", 7}, {"title", title}, {"by", std::string_view("Anna")}, {"paid", true}}),
            R"(sold id=7 title="The Arctic Tern" by=Anna paid=true)");
  EXPECT_EQ(http::log_line("", {{"a", -1L}, {"b", std::numeric_limits<std::uint64_t>::max()}, {"c", 0.5}}),
            " a=-1 b=18446744073709551615 c=0.5");
  EXPECT_EQ(http::log_line("plain", {}), "plain");
}

TEST(LogLine, quotes_text_that_could_be_taken_for_another_field) {
  for (const auto& [value, written] : std::vector<std::pair<std::string, std::string>>{{"", R"("")"},
                                                                                       {"a b", R"("a b")"},
                                                                                       {"x=1", R"("x=1")"},
                                                                                       {R"(")", R"("\"")"},
                                                                                       {R"(\)", R"("\\")"},
                                                                                       {"\xC3\xA9", "\"\xC3\xA9\""},
                                                                                       {"a\nb", "\"a\nb\""}}) {
    EXPECT_EQ(http::log_line("t", {{"v", value}}), "t v=" + written);
  }
}

TEST(RequestLog, names_the_request) {
  MemoryExchange exchange(Method::Post, "/books/7?x=1");
  exchange.request().log(LogLevel::Info, "sold", {{"id", 7}});
  exchange.request().log(LogLevel::Off, "nothing");
  EXPECT_EQ(exchange.reports(), std::vector<std::string>{"POST /books/7: sold id=7"});
}

}  // namespace
}  // namespace tern
