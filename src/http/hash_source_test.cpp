#include "http/hash_source.hpp"

#include <gtest/gtest.h>

namespace tern::http {
namespace {

// As `printf 'doSomething()' | openssl dgst -sha256 -binary | base64` says it.
TEST(HashSource, is_the_base64_of_the_hash_in_quotes) {
  EXPECT_EQ(hash_source("6e742483001f8d3c67652945c597b5a2025a7411cb9d1bae2f9e160bebfeb4c6"),
            "'sha256-bnQkgwAfjTxnZSlFxZe1ogJadBHLnRuuL54WC+v+tMY='");
}

}  // namespace
}  // namespace tern::http
