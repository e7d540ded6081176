#include "web/verified_tokens.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace tern::web {
namespace {

TEST(VerifiedTokens, are_known_by_every_byte) {
  VerifiedTokens tokens;
  const auto digest = VerifiedTokens::digest_of("a.b.c");
  EXPECT_FALSE(tokens.has(digest));
  EXPECT_FALSE(tokens.has(VerifiedTokens::Digest{}));
  tokens.add(digest);
  EXPECT_TRUE(tokens.has(digest));
  for (const char* other : {"a.b.C", "a.b.c ", "a.b", ""}) {
    EXPECT_FALSE(tokens.has(VerifiedTokens::digest_of(other))) << other;
  }
  for (std::size_t i = 0; i < digest.size(); ++i) {
    auto changed = digest;
    changed[i] ^= 1;
    EXPECT_FALSE(tokens.has(changed)) << i;
  }
  EXPECT_FALSE(VerifiedTokens(tokens).has(digest));
}

TEST(VerifiedTokens, are_bounded_and_the_oldest_of_a_place_goes) {
  VerifiedTokens tokens;
  std::vector<VerifiedTokens::Digest> all;
  for (std::size_t i = 0; i < 4 * VerifiedTokens::capacity(); ++i) {
    all.push_back(VerifiedTokens::digest_of(std::to_string(i)));
    tokens.add(all.back());
    ASSERT_TRUE(tokens.has(all.back()));
  }
  std::size_t known = 0;
  for (const auto& each : all) known += tokens.has(each) ? 1 : 0;
  EXPECT_LE(known, VerifiedTokens::capacity());
  EXPECT_GT(known, VerifiedTokens::capacity() / 2);
}

TEST(VerifiedTokens, are_shared_by_threads) {
  VerifiedTokens tokens;
  const auto stranger = VerifiedTokens::digest_of("stranger");
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&tokens, &stranger] {
      for (int i = 0; i < 2000; ++i) {
        tokens.add(VerifiedTokens::digest_of(std::to_string(i)));
        EXPECT_FALSE(tokens.has(stranger));
      }
    });
  }
}

}  // namespace
}  // namespace tern::web
