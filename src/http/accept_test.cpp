#include <tern/http/memory_exchange.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tern {
namespace {

std::string chosen(const std::vector<std::string>& accept, std::initializer_list<std::string_view> offered) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const std::string& value : accept) fields.emplace_back("Accept", value);
  MemoryExchange exchange(Method::Get, "/", std::move(fields));
  return std::string(exchange.request().accepts(offered));
}

TEST(Accept, takes_the_first_offer_where_the_client_does_not_choose) {
  EXPECT_EQ(chosen({}, {"application/json", "text/html"}), "application/json");
  EXPECT_EQ(chosen({"*/*"}, {"application/json", "text/html"}), "application/json");
  EXPECT_EQ(chosen({"text/html, application/json"}, {"application/json", "text/html"}), "application/json");
  EXPECT_EQ(chosen({}, {}), "");
}

TEST(Accept, gives_a_browser_html_and_a_client_json) {
  const std::string browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8";
  EXPECT_EQ(chosen({browser}, {"application/problem+json", "text/html"}), "text/html");
  EXPECT_EQ(chosen({"application/json"}, {"text/html", "application/json"}), "application/json");
}

TEST(Accept, prefers_the_higher_quality) {
  EXPECT_EQ(chosen({"text/html;q=0.5, application/json;q=0.501"}, {"text/html", "application/json"}),
            "application/json");
  EXPECT_EQ(chosen({"text/html;level=1;Q=0.1", "application/json; q=1.000"}, {"text/html", "application/json"}),
            "application/json");
}

TEST(Accept, takes_the_quality_of_the_most_specific_range) {
  EXPECT_EQ(chosen({"text/html;q=0, text/*, */*;q=0.1"}, {"text/html", "text/plain"}), "text/plain");
  EXPECT_EQ(chosen({"*/*, text/*;q=0.1, TEXT/HTML;q=0.2"}, {"text/plain", "text/html"}), "text/html");
}

TEST(Accept, finds_nothing_where_nothing_is_acceptable) {
  EXPECT_EQ(chosen({"image/png"}, {"text/html", "application/json"}), "");
  EXPECT_EQ(chosen({"text/html;q=0"}, {"text/html"}), "");
  EXPECT_EQ(chosen({"te/*, text"}, {"text/html"}), "");
}

TEST(Accept, does_not_count_a_malformed_quality) {
  for (const char* quality : {"2", "1.1", "0.1234", "-1", "0,5x", "x", "1.0a"}) {
    EXPECT_EQ(chosen({"text/html;q=" + std::string(quality)}, {"text/html"}), "") << quality;
  }
}

}  // namespace
}  // namespace tern
