#include "base/intrusive_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tern::base {
namespace {

struct Element : IntrusiveList<Element>::Links {
  explicit Element(int number) : value(number) {}
  int value;
};

std::vector<int> values(const IntrusiveList<Element>& list) {
  std::vector<int> found;
  for (const Element* each = list.first(); each != nullptr; each = IntrusiveList<Element>::next(*each)) {
    found.push_back(each->value);
  }
  return found;
}

struct IntrusiveListTest : ::testing::Test {
  IntrusiveListTest() {
    list.push_front(third);
    list.push_front(second);
    list.push_front(first);
  }
  IntrusiveList<Element> list;
  Element first{1}, second{2}, third{3};
};

TEST_F(IntrusiveListTest, ANewElementIsTheFirst) {
  EXPECT_THAT(values(list), ::testing::ElementsAre(1, 2, 3));
}

TEST_F(IntrusiveListTest, RemovesAtTheBeginningInTheMiddleAndAtTheEnd) {
  IntrusiveList<Element>::remove(second);
  EXPECT_THAT(values(list), ::testing::ElementsAre(1, 3));
  IntrusiveList<Element>::remove(first);
  EXPECT_THAT(values(list), ::testing::ElementsAre(3));
  IntrusiveList<Element>::remove(third);
  EXPECT_TRUE(list.empty());
}

TEST_F(IntrusiveListTest, AnElementCanBeAddedAgain) {
  IntrusiveList<Element>::remove(third);
  list.push_front(third);
  EXPECT_THAT(values(list), ::testing::ElementsAre(3, 1, 2));
}

TEST_F(IntrusiveListTest, EachElementMayBeRemovedWhileTheListIsWalked) {
  std::vector<int> seen;
  list.for_each([&](Element& each) {
    seen.push_back(each.value);
    IntrusiveList<Element>::remove(each);
  });
  EXPECT_THAT(seen, ::testing::ElementsAre(1, 2, 3));
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace tern::base
