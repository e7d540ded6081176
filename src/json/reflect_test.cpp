#include <tern/json/reflect.hpp>

#include <gtest/gtest.h>

#include <any>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "json/wide_structs.hpp"

namespace {

struct Inner {
  int x;
  int y;
};

struct MixedMembers {
  std::string text;
  std::optional<int> maybe;
  std::optional<std::string> maybe_text;
  std::variant<int, std::string> either;
  std::map<int, int> map;
  std::unique_ptr<int> owner;
  std::any any;
  std::function<void()> function;
  Inner inner;
  std::array<int, 3> three;
  const char* pointer;
  std::pair<int, std::string> pair;
  std::vector<Inner> inners;
  std::tuple<int, char> tuple;
};

struct Empty {};
struct Lone {
  std::optional<std::any> only;
};
struct Anything {
  std::any only;
};
template <class T>
struct Generic {
  T first_one;
  int second2;
};
struct Tree {
  int value;
  std::vector<Tree> children;
  std::unique_ptr<Tree> next;
};
struct WithArray {
  int before;
  int array[3];
};
struct WithLoneArray {
  char array[1];
};
struct Derived : Inner {
  int z;
};
struct DerivedFromEmpty : Empty {
  int z;
};
struct WithReference {
  int& reference;
};
struct TooWide {
  tern::json::Wide64 first;  // not counted by its members
  int a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2, c3, c4, c5, c6, c7,
      c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, f0, f1, f2, f3, f4, f5,
      f6, f7, f8, f9, g0, g1, g2, g3;
};
struct Lesson {
  std::string class_;
  int room = 0;
};

std::vector<std::string> names(std::span<const std::string_view> list) {
  return {list.begin(), list.end()};
}

}  // namespace

template <>
struct tern::JsonNames<Lesson> {
  static constexpr tern::json::Rename renames[] = {{"class_", "class"}};
};

namespace tern::json {
namespace {

using Names = std::vector<std::string>;

TEST(JsonReflect, counts_members_of_every_type) {
  EXPECT_EQ(member_count<MixedMembers>(), 14U);
  EXPECT_EQ(member_count<Empty>(), 0U);
  EXPECT_EQ(member_count<Lone>(), 1U);
  EXPECT_EQ(member_count<Anything>(), 1U);
  EXPECT_EQ(member_count<Tree>(), 3U);
  EXPECT_EQ(member_count<Wide64>(), 64U);
}

TEST(JsonReflect, names_members_in_their_order) {
  EXPECT_EQ(names(member_names<MixedMembers>()),
            (Names{"text", "maybe", "maybe_text", "either", "map", "owner", "any", "function", "inner", "three",
                   "pointer", "pair", "inners", "tuple"}));
  EXPECT_EQ(names(member_names<Empty>()), Names{});
}

TEST(JsonReflect, names_members_of_templates_and_local_structs) {
  struct Local {
    int here;
  };
  EXPECT_EQ(names(member_names<Generic<std::map<int, std::pair<char, int>>>>()), (Names{"first_one", "second2"}));
  EXPECT_EQ(names(member_names<Local>()), (Names{"here"}));
}

TEST(JsonReflect, names_are_constants) {
  static_assert(member_names<Tree>()[1] == "children");
  static_assert(member_names<Wide64>()[63] == "m63");
}

// The messages themselves cannot be tested here: these are the conditions behind the static_asserts.
TEST(JsonReflect, knows_what_it_cannot_take_apart) {
  static_assert(detail::has_array<WithArray, detail::count_initialisers<WithArray>()>());
  static_assert(detail::points_to_array<decltype(detail::pointers_to<1>(std::declval<WithLoneArray&>()))>);
  static_assert(detail::has_base<Derived>);
  static_assert(detail::has_base<DerivedFromEmpty>);
  static_assert(!std::is_default_constructible_v<WithReference>);
  static_assert(detail::count_initialisers<TooWide>() == detail::max_members + 1);
  static_assert(!detail::has_array<MixedMembers, 14>() && !detail::has_base<MixedMembers> &&
                !detail::has_base<Anything>);
}

TEST(JsonReflect, renames_members) {
  EXPECT_EQ(names(member_names<Lesson>()), (Names{"class", "room"}));
}

TEST(JsonReflect, visits_members_with_name_and_index) {
  Tree tree{7, {}, nullptr};
  std::string seen;
  for_each_member(tree, [&](std::string_view name, auto& member, auto index) {
    seen.append(name).append(std::to_string(index)).append(" ");
    static_assert(std::is_same_v<MemberType<Tree, index>, std::remove_reference_t<decltype(member)>>);
  });
  EXPECT_EQ(seen, "value0 children1 next2 ");
}

TEST(JsonReflect, visits_members_for_writing_and_const_objects_for_reading) {
  Inner inner{1, 2};
  for_each_member(inner, [](std::string_view, int& member, auto) { member *= 10; });
  const Inner& constant = inner;
  int sum = 0;
  for_each_member(constant, [&](std::string_view, const int& member, auto) { sum += member; });
  EXPECT_EQ(sum, 30);
}

TEST(JsonReflect, reaches_all_of_64_members) {
  Wide64 wide;
  int next = 0;
  for_each_member(wide, [&](std::string_view, int& member, auto) { member = next++; });
  EXPECT_EQ(wide.m0, 0);
  EXPECT_EQ(wide.m31, 31);
  EXPECT_EQ(wide.m63, 63);
}

// Every line of the table in bind.hpp: a struct of N members starts with N ints.
template <std::size_t... N>
void try_counts(std::index_sequence<N...>) {
  (
      [] {
        int numbers[64] = {};
        for (int i = 0; i < 64; ++i) numbers[i] = i;
        std::size_t count = 0;
        WideOf<N + 1> wide;
        for_each_member(wide, [&](std::string_view name, int& member, auto index) {
          member = numbers[index];
          EXPECT_EQ(name, "m" + std::to_string(index));
          ++count;
        });
        EXPECT_EQ(count, N + 1);
        EXPECT_EQ(first_of(wide), 0);
        EXPECT_EQ(last_of(wide), static_cast<int>(N));
      }(),
      ...);
}

TEST(JsonReflect, takes_apart_structs_of_every_size) {
  try_counts(std::make_index_sequence<64>{});
}

}  // namespace
}  // namespace tern::json
