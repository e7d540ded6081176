// The search finds the first delimiter, and reads no byte more than twice, even in the worst case.
#include "http/delimiter_search.hpp"

#include "http/multipart_feed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tern::multipart {
namespace {

std::string repeat(std::string_view text, std::size_t size) {
  std::string out;
  while (out.size() < size) out += text;
  return out;
}

// Worst-case contents for a boundary.
std::vector<std::string> hostile(const std::string& boundary, std::size_t size) {
  const std::string delimiter = "\r\n--" + boundary;
  const std::string near = delimiter.substr(0, delimiter.size() - 1);
  return {repeat(near, size),         repeat(near + "!", size),  repeat("\r", size),     repeat("\r\n", size),
          repeat("\r\n--", size),     repeat("\r\n-", size),     repeat("\n--", size),   repeat("-", size),
          repeat(near + "\r", size),  repeat("\r" + near, size), repeat(boundary, size), repeat("x", size),
          repeat(near + "\r\n", size)};
}

TEST(DelimiterSearch, looks_at_no_byte_more_than_twice) {
  constexpr std::size_t size = 30'000;
  for (const std::size_t length : {1U, 2U, 35U, 70U}) {
    for (const std::string& boundary : {std::string(length, '-'), std::string(length, 'a'), repeat("ab", length)}) {
      for (const std::string& content : hostile(boundary, size)) {
        const std::string delimiter = "\r\n--" + boundary;
        const DelimiterSearch found = find_delimiter(content, delimiter);
        const bool whole = found.matched == delimiter.size();
        EXPECT_EQ(whole, content.find(delimiter) != std::string::npos);
        // Each byte once, and once more after a failed comparison: at most one such byte for each CR.
        const auto candidates = static_cast<std::size_t>(std::ranges::count(content, '\r'));
        EXPECT_LE(found.looked, content.size() + candidates) << boundary << ": " << content.substr(0, 100);
        if (!whole) {
          EXPECT_GE(found.looked, content.size());
        }
      }
    }
  }
}

TEST(DelimiterSearch, finds_what_a_plain_search_finds) {
  std::minstd_rand random(1);
  const std::string delimiter = "\r\n--ab-";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    while (text.size() < 30)
      text += random() % 4 == 0 ? delimiter.substr(0, random() % 8) : std::string(1, "\r\n-ab"[random() % 5]);
    const DelimiterSearch found = find_delimiter(text, delimiter);
    if (const std::size_t at = text.find(delimiter); at != std::string::npos) {
      ASSERT_EQ(found.begin, at);
      ASSERT_EQ(found.matched, delimiter.size());
      continue;
    }
    std::size_t tail = delimiter.size() - 1;
    while (!text.ends_with(delimiter.substr(0, tail))) --tail;
    ASSERT_EQ(found.matched, tail);
    ASSERT_EQ(found.begin, text.size() - tail);
  }
}

// Each event has a cost for the caller: near-boundaries must not split the content.
TEST(DelimiterSearch, gives_a_content_full_of_near_boundaries_in_one_piece) {
  const std::string boundary(70, 'a');
  for (const std::string& content : hostile(boundary, 100'000)) {
    const std::string form = "--" + boundary + "\r\nContent-Disposition: form-data; name=a; filename=b\r\n\r\nx" +
                             content + "y\r\n--" + boundary + "--";
    MultipartParser parser(boundary);
    parser.receive(form);
    parser.finish();
    std::size_t pieces = 0;
    std::size_t size = 0;
    MultipartEvent event = parser.next();
    for (; event != MultipartEvent::End && event != MultipartEvent::Reject; event = parser.next()) {
      if (event != MultipartEvent::Data) continue;
      ++pieces;
      size += parser.data().size();
    }
    EXPECT_EQ(event, MultipartEvent::End);
    EXPECT_EQ(pieces, 1U) << content.substr(0, 100);
    EXPECT_EQ(size, content.size() + 2);
  }
}

TEST(DelimiterSearch, holds_for_a_parser_fed_in_random_pieces) {
  std::minstd_rand random(2);
  const std::string boundary = "--ab-";
  for (int round = 0; round < 2'000; ++round) {
    std::string content;
    while (content.size() < 60) {
      content +=
          random() % 3 == 0 ? ("\r\n--" + boundary).substr(0, random() % 9) : std::string(1, "\r\n-ab"[random() % 5]);
    }
    const std::string form =
        "--" + boundary + "\r\nContent-Disposition: form-data; name=a\r\n\r\n" + content + "\r\n--" + boundary + "--";
    if (form.find("\r\n--" + boundary) != form.size() - 9 - 2) continue;  // the content contains the boundary
    std::vector<std::size_t> cuts;
    for (std::size_t at = random() % 20; at < form.size(); at += 1 + random() % 20) cuts.push_back(at);
    ASSERT_EQ(testing::feed(form, cuts, {.boundary = boundary}), "part \"a\"\n" + content + "\nend of a\nform");
  }
}

}  // namespace
}  // namespace tern::multipart
