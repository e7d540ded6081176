#include <tern/json/enums.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

enum class Color { Red, Green = 5, Blue = -3, Lowest = -128, Highest = 127, Beyond = 128 };
enum class Small : std::uint8_t { One = 1, Most = 255, Last = 127 };
enum class Truth : bool { No, Yes };
enum Plain { plain_a, plain_b = 5 };
enum PlainSigned { below = -2, above = 1 };
enum class Same { First = 1, Again = 1 };
enum class Unnamed {};
enum class Errno { Fine = 0, Far = 999 };
enum class Suit : std::uint64_t { Hearts = 1, Spades = std::uint64_t{1} << 63, Hidden = 3 };

template <class T, class U>
struct Outer {
  enum class Kind { Inside, Other };
};

}  // namespace

template <>
struct tern::EnumNames<Errno> {
  static constexpr int min = 0, max = 1000;
};
template <>
struct tern::EnumNames<Suit> {
  static constexpr tern::EnumName<Suit> names[] = {{Suit::Hearts, "the hearts"}, {Suit::Spades, "spades"}};
};

namespace tern {
namespace {

TEST(JsonEnums, names_enumerators_and_finds_them_by_name) {
  EXPECT_EQ(enum_name(Color::Red), "Red");
  EXPECT_EQ(enum_name(Color::Green), "Green");
  EXPECT_EQ(enum_name(Color::Blue), "Blue");
  EXPECT_EQ(enum_from_name<Color>("Blue"), Color::Blue);
  EXPECT_EQ(enum_from_name<Color>("Green"), Color::Green);
}

TEST(JsonEnums, looks_from_minus_128_to_127) {
  EXPECT_EQ(enum_name(Color::Lowest), "Lowest");
  EXPECT_EQ(enum_name(Color::Highest), "Highest");
  EXPECT_EQ(enum_name(Color::Beyond), std::nullopt);
  EXPECT_EQ(enum_from_name<Color>("Beyond"), std::nullopt);
}

TEST(JsonEnums, knows_no_name_for_a_value_between_enumerators) {
  EXPECT_EQ(enum_name(static_cast<Color>(1)), std::nullopt);
  EXPECT_EQ(enum_name(static_cast<Color>(-4)), std::nullopt);
}

TEST(JsonEnums, takes_only_the_exact_name) {
  for (const char* wrong : {"", "red", "Re", "Redd", "Color::Red", "0", "(Color)1", " Red"}) {
    EXPECT_EQ(enum_from_name<Color>(wrong), std::nullopt) << wrong;
  }
}

TEST(JsonEnums, keeps_to_the_underlying_type) {
  EXPECT_EQ(enum_name(Small::One), "One");
  EXPECT_EQ(enum_name(Small::Last), "Last");
  EXPECT_EQ(enum_name(Small::Most), std::nullopt);
  EXPECT_EQ(enum_name(Truth::Yes), "Yes");
  EXPECT_EQ(enum_from_name<Truth>("No"), Truth::No);
}

TEST(JsonEnums, handles_enumerations_without_fixed_type) {
  EXPECT_EQ(enum_name(plain_b), "plain_b");
  EXPECT_EQ(enum_from_name<Plain>("plain_a"), plain_a);
  EXPECT_EQ(enum_name(below), "below");
  EXPECT_EQ(enum_from_name<PlainSigned>("above"), above);
}

TEST(JsonEnums, handles_enumerations_inside_templates_and_empty_ones) {
  using Kind = Outer<int, Outer<char, long>>::Kind;
  EXPECT_EQ(enum_name(Kind::Other), "Other");
  EXPECT_EQ(enum_from_name<Kind>("Inside"), Kind::Inside);
  EXPECT_EQ(enum_name(static_cast<Unnamed>(0)), std::nullopt);
  EXPECT_EQ(enum_name(Same::Again), "First");
}

TEST(JsonEnums, looks_in_the_stated_range) {
  EXPECT_EQ(enum_name(Errno::Far), "Far");
  EXPECT_EQ(enum_from_name<Errno>("Far"), Errno::Far);
  EXPECT_EQ(enum_name(Errno::Fine), "Fine");
}

TEST(JsonEnums, takes_the_stated_names_alone) {
  EXPECT_EQ(enum_name(Suit::Hearts), "the hearts");
  EXPECT_EQ(enum_from_name<Suit>("spades"), Suit::Spades);
  EXPECT_EQ(enum_name(Suit::Hidden), std::nullopt);
  EXPECT_EQ(enum_from_name<Suit>("Hearts"), std::nullopt);
}

TEST(JsonEnums, lists_names_by_value) {
  EXPECT_EQ(enum_names<Color>(), (std::vector<std::string_view>{"Lowest", "Blue", "Red", "Green", "Highest"}));
}

}  // namespace
}  // namespace tern
