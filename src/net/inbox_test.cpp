#include "net/inbox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace tern::net {
namespace {

Inbox::Given give(Inbox& inbox, base::Function<void()> work) {
  return inbox.give(work);
}

TEST(Inbox, does_what_was_given_in_its_order) {
  Inbox inbox;
  EXPECT_TRUE(inbox.quiet());
  std::vector<int> done;
  EXPECT_EQ(give(inbox, [&] { done.push_back(1); }), Inbox::Given::First);
  EXPECT_EQ(give(inbox, [&] { done.push_back(2); }), Inbox::Given::Behind);
  EXPECT_EQ(give(inbox, [&] { done.push_back(3); }), Inbox::Given::Behind);
  EXPECT_FALSE(inbox.quiet());
  EXPECT_TRUE(inbox.run());
  EXPECT_EQ(done, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(inbox.quiet());
}

TEST(Inbox, what_work_gives_is_done_the_next_time) {
  Inbox inbox;
  int done = 0;
  give(inbox, [&] {
    ++done;
    EXPECT_EQ(give(inbox, [&] { ++done; }), Inbox::Given::First);
  });
  inbox.run();
  EXPECT_EQ(done, 1);
  inbox.run();
  EXPECT_EQ(done, 2);
}

TEST(Inbox, counts_what_has_not_begun) {
  constexpr std::size_t many = 100;
  Inbox inbox;
  EXPECT_EQ(inbox.count(many), 0U);
  std::vector<std::size_t> counts;
  const auto counting = [&] { counts.push_back(inbox.count(many)); };
  give(inbox, counting);
  give(inbox, [&] {
    give(inbox, [] {});
    counting();
    EXPECT_EQ(inbox.count(1), 1U);
  });
  give(inbox, counting);
  EXPECT_EQ(inbox.count(many), 3U);
  inbox.run();
  EXPECT_EQ(counts, (std::vector<std::size_t>{2, 2, 1}));
  EXPECT_EQ(inbox.count(many), 1U);
  inbox.close();
  EXPECT_EQ(inbox.count(many), 1U);
  inbox.run();
  EXPECT_EQ(inbox.count(many), 0U);
}

TEST(Inbox, does_what_was_given_before_it_was_closed_and_refuses_the_rest) {
  Inbox inbox;
  int done = 0;
  const auto token = std::make_shared<int>();
  give(inbox, [&done, token] { ++done; });
  EXPECT_TRUE(inbox.close());
  EXPECT_FALSE(inbox.close());
  base::Function<void()> late = [&done, token] { done += 100; };
  EXPECT_EQ(inbox.give(late), Inbox::Given::Refused);
  EXPECT_EQ(token.use_count(), 3) << "refused work stays where it was";
  EXPECT_FALSE(inbox.quiet());
  EXPECT_FALSE(inbox.run());
  EXPECT_FALSE(inbox.run());
  EXPECT_EQ(done, 1);
  inbox.open();
  EXPECT_TRUE(inbox.quiet());
  EXPECT_EQ(inbox.give(late), Inbox::Given::First);
  EXPECT_TRUE(inbox.run());
  EXPECT_EQ(done, 101);
}

TEST(Inbox, destroys_what_was_never_done) {
  const auto token = std::make_shared<int>();
  {
    Inbox inbox;
    give(inbox, [token] {});
    inbox.clear();
    EXPECT_EQ(token.use_count(), 1);
    give(inbox, [token] {});
    give(inbox, [token] {});
    inbox.close();
  }
  EXPECT_EQ(token.use_count(), 1);
}

// Each of several threads finds its own order, and learns once that it was the first or refused; what is not done is
// destroyed. The taker closes and opens it meanwhile.
TEST(Inbox, takes_from_many_threads_while_it_is_closed_and_opened) {
  constexpr std::size_t threads = 4;
  constexpr int each = 20'000;
  Inbox inbox;
  const auto token = std::make_shared<int>();
  std::vector<int> last(threads, -1);  // of the taker's thread
  int wrong = 0;
  int done = 0;
  std::size_t most = 0;
  std::atomic<int> given = 0;
  std::atomic<std::size_t> ended = 0;
  {
    std::vector<std::jthread> givers;
    for (std::size_t t = 0; t < threads; ++t) {
      givers.emplace_back([&, t] {
        for (int i = 0; i < each; ++i) {
          base::Function<void()> work = [&wrong, &done, &most, &inbox, before = &last[t], i, token] {
            wrong += *before < i ? 0 : 1;
            *before = i;
            ++done;
            if (done % 64 == 0) most = std::max(most, inbox.count(1000));
          };
          if (inbox.give(work) != Inbox::Given::Refused) ++given;
        }
        ++ended;
      });
    }
    for (int round = 0; ended != threads; ++round) {
      if (round % 8 == 0) inbox.close();
      if (!inbox.run()) inbox.open();
    }
  }
  inbox.run();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(done, given);
  EXPECT_LE(most, 1000U);
  EXPECT_EQ(inbox.count(1000), 0U);
  EXPECT_EQ(token.use_count(), 1);
}

}  // namespace
}  // namespace tern::net
