#include "net/output.hpp"

#include "net/send_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tern::net {
namespace {

std::string joined(const Output& output) {
  std::string all;
  output.visit([&](std::string_view piece) { all += piece; });
  return all;
}

std::string joined(const SendQueue& queue) {
  iovec pieces[SendQueue::max_pieces];
  const std::size_t count = queue.gather(pieces);
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
  return all;
}

const std::string big_a(Output::large + 1, 'a');
const std::string big_b(Output::large * 2, 'b');
const std::string big_c(Output::large * 3, 'c');

void fill(Output& output) {
  output.append("head ");
  output.append(std::string(big_a));
  output.append(std::string(big_b));
  output.append_static(big_c);
  output.text() += "tail";
}

TEST(Output, collects_small_pieces_in_one_text) {
  Output output;
  output.append("one ");
  output.append(std::string("two "));
  output.append(std::string_view("three"));
  EXPECT_EQ(output.text(), "one two three");
  EXPECT_EQ(output.size(), 13U);
}

TEST(Output, keeps_large_bodies_apart_without_copying) {
  Output output;
  std::string body(100'000, 'x');
  const char* bytes = body.data();
  output.append("head");
  output.append(std::move(body));
  EXPECT_EQ(output.text(), "head");
  bool found = false;
  output.visit([&](std::string_view piece) { found = found || piece.data() == bytes; });
  EXPECT_TRUE(found);
}

TEST(Output, that_is_lent_is_sent_from_where_it_is_and_copied_where_it_is_small) {
  Output output;
  output.append_static("small ");
  EXPECT_EQ(output.text(), "small ");
  output.append_static(big_c);
  const auto is_there = [](const iovec& piece) { return piece.iov_base == big_c.data(); };
  iovec pieces[SendQueue::max_pieces];
  ASSERT_EQ(SendQueue::gather(output, pieces), 2U);
  EXPECT_TRUE(is_there(pieces[1]));
  SendQueue queue;
  queue.take(output, 0);
  ASSERT_EQ(queue.gather(pieces), 2U);
  EXPECT_TRUE(is_there(pieces[1]));
  queue.append("behind");
  EXPECT_EQ(joined(queue), "small " + big_c + "behind");
}

TEST(Output, keeps_the_order) {
  Output output;
  fill(output);
  EXPECT_EQ(joined(output), "head " + big_a + big_b + big_c + "tail");
  EXPECT_EQ(output.size(), joined(output).size());
}

TEST(Output, keeps_its_memory_when_cleared_but_not_without_bound) {
  Output output;
  output.append(std::string(10'000, 'x'));
  const std::size_t capacity = output.text().capacity();
  output.clear();
  EXPECT_TRUE(output.empty());
  EXPECT_EQ(output.text().capacity(), capacity);
  output.text().resize(10'000'000);
  output.clear();
  EXPECT_LT(output.text().capacity(), 1000U);
}

TEST(SendQueue, takes_over_what_was_not_sent_wherever_the_cut_is) {
  const std::string all = "head " + big_a + big_b + big_c + "tail";
  for (const std::size_t cut :
       {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{6}, 5 + big_a.size() - 1, 5 + big_a.size(),
        6 + big_a.size(), 6 + big_a.size() + big_b.size(), all.size() - 5, all.size() - 4, all.size() - 1}) {
    Output output;
    fill(output);
    SendQueue queue;
    queue.take(output, cut);
    EXPECT_TRUE(output.empty());
    EXPECT_EQ(queue.size(), all.size() - cut);
    EXPECT_TRUE(joined(queue) == all.substr(cut)) << cut;
  }
}

TEST(SendQueue, copies_what_is_only_passing) {
  std::string borrowed(100'000, 'p');
  const std::string whole = "head " + borrowed + " tail";
  for (const std::size_t sent : {0UL, 3UL, 5UL, 50'000UL, 100'005UL, 100'007UL}) {
    Output output;
    output.append("head ");
    output.append_borrowed(borrowed);
    output.append(" tail");
    EXPECT_EQ(joined(output), whole);
    SendQueue queue;
    queue.take(output, sent);
    std::ranges::fill(borrowed, 'q');  // it has passed
    EXPECT_EQ(queue.size(), whole.size() - sent);
    EXPECT_TRUE(joined(queue) == whole.substr(sent)) << sent;
    std::ranges::fill(borrowed, 'p');
  }
}

TEST(SendQueue, keeps_what_has_passed_where_it_is_given_what_that_lies_in) {
  const std::string borrowed(100'000, 'p');
  for (const std::size_t sent : {0UL, 3UL, 5UL, 50'000UL, 100'005UL, 130'007UL}) {
    std::string lies = borrowed;
    const char* const there = lies.data();
    Output output;
    output.append("head ");
    output.append_borrowed(lies);
    output.append(" and ");
    output.append_borrowed(std::string_view(lies).substr(10'000, 30'000));
    const std::string whole = joined(output);
    EXPECT_EQ(output.take_ownership(std::move(lies)), "");
    EXPECT_TRUE(joined(output) == whole);
    SendQueue queue;
    queue.take(output, sent);
    EXPECT_EQ(queue.size(), whole.size() - sent);
    EXPECT_TRUE(joined(queue) == whole.substr(sent)) << sent;
    iovec pieces[SendQueue::max_pieces];
    const iovec& last = pieces[queue.gather(pieces) - 1];
    EXPECT_EQ(static_cast<const char*>(last.iov_base) + last.iov_len, there + 40'000) << "copied";
  }
  Output output;
  output.append_borrowed(borrowed);
  EXPECT_TRUE(output.take_ownership(std::string(100'000, 'q')) == std::string(100'000, 'q'))
      << "nothing of it has passed";
}

TEST(SendQueue, forgets_what_was_sent_step_by_step) {
  Output output;
  fill(output);
  std::string all = joined(output);
  SendQueue queue;
  queue.take(output, 0);
  while (queue.size() != 0) {
    ASSERT_TRUE(joined(queue) == all);
    const std::size_t step = std::min<std::size_t>(queue.size(), 7'001);
    queue.consume(step);
    all.erase(0, step);
  }
  EXPECT_TRUE(all.empty());
}

TEST(SendQueue, lets_small_pieces_share_strings) {
  SendQueue queue;
  for (int i = 0; i < 10'000; ++i) queue.append("0123456789");
  iovec pieces[SendQueue::max_pieces];
  EXPECT_LE(queue.gather(pieces), 8U);
  EXPECT_EQ(queue.size(), 100'000U);
}

TEST(SendQueue, gathers_no_more_pieces_than_fit) {
  Output output;
  for (std::size_t i = 0; i < 2 * SendQueue::max_pieces; ++i) output.append(std::string(big_a));
  iovec pieces[SendQueue::max_pieces];
  EXPECT_EQ(SendQueue::gather(output, pieces), SendQueue::max_pieces);
  SendQueue queue;
  queue.take(output, 0);
  EXPECT_EQ(queue.gather(pieces), SendQueue::max_pieces);
}

}  // namespace
}  // namespace tern::net
