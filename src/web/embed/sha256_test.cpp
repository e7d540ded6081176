// The vectors of FIPS 180-4 and of NIST's examples, and the edges of the padding.
#include "web/embed/sha256.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern::web {
namespace {

TEST(Sha256, has_the_digests_of_the_standard) {
  EXPECT_EQ(sha256_hex("", 64), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc", 64), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 64),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a'), 64),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, is_cut_to_the_digits_that_are_wanted) {
  EXPECT_EQ(sha256_hex("abc", 8), "ba7816bf");
}

}  // namespace
}  // namespace tern::web
