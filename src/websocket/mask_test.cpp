#include "websocket/mask.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern::websocket {
namespace {

TEST(WebSocketMask, combines_each_byte_with_its_own_of_the_key) {
  const MaskKey key = {'\x01', '\x20', '\x7F', '\xF0'};
  for (std::size_t size = 0; size < 700; size += size < 150 ? 1 : 61) {
    for (std::size_t offset = 0; offset < 9; ++offset) {
      std::string bytes;
      for (std::size_t i = 0; i < size + 2; ++i) bytes.push_back(static_cast<char>(i * 7));
      std::string expected = bytes;
      for (std::size_t i = 0; i < size; ++i) {
        expected[i + 1] = static_cast<char>(expected[i + 1] ^ key[(offset + i) % 4]);
      }
      apply_mask(bytes.data() + 1, size, key, offset);  // leaves the adjacent bytes unchanged
      ASSERT_EQ(bytes, expected) << size << ' ' << offset;
    }
  }
}

}  // namespace
}  // namespace tern::websocket
