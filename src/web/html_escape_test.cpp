#include "web/html_escape.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

namespace tern::web {
namespace {

std::string escaped_by_bytes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

// Into a string that has room for whatever becomes of the text, and into one that grows.
void expect_escaped(std::string_view text) {
  const std::string expected = "before" + escaped_by_bytes(text);
  std::string roomy = "before";
  roomy.reserve(roomy.size() + 6 * text.size() + 64);
  escape_html(roomy, text);
  EXPECT_EQ(roomy, expected) << text;
  std::string tight = "before";
  tight.shrink_to_fit();
  escape_html(tight, text);
  EXPECT_EQ(tight, expected) << text;
}

TEST(HtmlEscape, replaces_each_special_byte_at_any_place_of_a_block) {
  for (const char c : std::string_view("&<>\"'")) {
    for (std::size_t size = 1; size <= 70; ++size) {
      for (std::size_t at = 0; at < size; ++at) {
        std::string text(size, 'x');
        text[at] = c;
        expect_escaped(text);
      }
      expect_escaped(std::string(size, c));
    }
  }
}

TEST(HtmlEscape, keeps_all_other_bytes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  expect_escaped(all);
  expect_escaped("");
}

TEST(HtmlEscape, replaces_in_any_mixture) {
  std::mt19937 random(1);
  constexpr std::string_view bytes = "&<>\"'abc \xE2\x80\x94%=?#!";  // neighbours of the special ones, too
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = bytes[random() % bytes.size()];
    expect_escaped(text);
  }
}

}  // namespace
}  // namespace tern::web
