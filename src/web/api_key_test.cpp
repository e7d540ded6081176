#include <tern/web/api_key.hpp>

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tern {
namespace {

TEST(ApiKey, has_a_prefix_to_be_shown_and_a_hash_to_be_stored) {
  const ApiKey made = ApiKey::generate("shop");
  EXPECT_EQ(made.prefix.size(), 4U + 1 + 8);
  EXPECT_TRUE(made.key.starts_with(made.prefix + "_"));
  EXPECT_EQ(made.key.size(), made.prefix.size() + 1 + 43);
  EXPECT_EQ(made.hash.size(), 64U);
  EXPECT_EQ(ApiKey::prefix_of(made.key), made.prefix);
  EXPECT_TRUE(ApiKey::verify(made.key, made.hash));
}

TEST(ApiKey, is_another_one_each_time_and_always_has_a_prefix) {
  std::set<std::string> keys;
  for (int i = 0; i < 200; ++i) {
    const ApiKey made = ApiKey::generate("a");
    EXPECT_EQ(ApiKey::prefix_of(made.key), made.prefix) << made.key;
    keys.insert(made.prefix);
    keys.insert(made.key);
  }
  EXPECT_EQ(keys.size(), 400U);
}

TEST(ApiKey, that_is_changed_anywhere_is_another_one) {
  const ApiKey made = ApiKey::generate("shop");
  for (std::size_t i = 0; i < made.key.size(); ++i) {
    std::string changed = made.key;
    changed[i] = changed[i] == 'a' ? 'b' : 'a';
    EXPECT_FALSE(ApiKey::verify(changed, made.hash)) << i;
  }
  EXPECT_FALSE(ApiKey::verify(made.key, {}));
  EXPECT_FALSE(ApiKey::verify(made.key, made.hash + "0"));
  EXPECT_FALSE(ApiKey::verify({}, {}));
}

TEST(ApiKey, has_no_prefix_in_another_form) {
  const std::string secret(43, 'x');
  for (const std::string& text : {std::string(), std::string("shop"), "shop_12345678" + secret, "_12345678_" + secret,
                                  "shop_1234567_" + secret, "shop_123456789_" + secret, "sh op_12345678_" + secret,
                                  "shop_12345678_" + secret + "'", std::string(500, '_')}) {
    const std::string_view prefix = ApiKey::prefix_of(text);
    EXPECT_TRUE(prefix.empty()) << text << ": " << prefix;
  }
}

TEST(ApiKey, needs_a_name_of_letters_and_digits) {
  for (const std::string& name : {std::string(), std::string("a_b"), std::string("a b"), std::string(33, 'a')}) {
    EXPECT_THROW(ApiKey::generate(name), std::invalid_argument);
  }
}

}  // namespace
}  // namespace tern
