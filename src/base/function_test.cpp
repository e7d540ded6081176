#include <tern/base/function.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace tern::base {
namespace {

int twice(int n) {
  return 2 * n;
}

// Counts live instances, and detects relocation without a move.
template <std::size_t Padding>
struct Counted {
  explicit Counted(int& alive_) : alive(&alive_) { ++*alive; }
  Counted(Counted&& other) noexcept : alive(other.alive) { ++*alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() {
    EXPECT_EQ(self, this);
    --*alive;
  }
  int operator()() const {
    EXPECT_EQ(self, this);
    return *alive;
  }
  const Counted* self = this;
  int* alive;
  [[maybe_unused]] std::array<char, Padding> padding{};
};

using Inside = Counted<1>;
using Outside = Counted<100>;

template <class C>
class FunctionStorage : public ::testing::Test {};
using Kinds = ::testing::Types<Inside, Outside>;
TYPED_TEST_SUITE(FunctionStorage, Kinds);

TYPED_TEST(FunctionStorage, destroys_what_it_holds_once) {
  int alive = 0;
  {
    Function<int()> f = TypeParam(alive);
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(f(), 1);
  }
  EXPECT_EQ(alive, 0);
}

TYPED_TEST(FunctionStorage, leaves_an_empty_one_behind_when_it_is_moved) {
  int alive = 0;
  Function<int()> from = TypeParam(alive);
  Function<int()> to = std::move(from);
  EXPECT_FALSE(from);
  EXPECT_TRUE(to);
  EXPECT_EQ(to(), 1);
  from = std::move(to);
  EXPECT_FALSE(to);
  EXPECT_EQ(from(), 1);
}

TYPED_TEST(FunctionStorage, destroys_the_old_one_when_it_is_assigned) {
  int first = 0;
  int second = 0;
  Function<int()> f = TypeParam(first);
  f = TypeParam(second);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  f = Function<int()>();
  EXPECT_EQ(second, 0);
  EXPECT_FALSE(f);
}

TYPED_TEST(FunctionStorage, survives_being_moved_to_itself) {
  int alive = 0;
  Function<int()> f = TypeParam(alive);
  Function<int()>& same = f;
  f = std::move(same);
  EXPECT_EQ(f(), 1);
}

TEST(Function, is_empty_at_first) {
  EXPECT_FALSE(Function<void()>());
}

TEST(Function, calls_function_pointers_and_lambdas) {
  const Function<int(int)> pointer = twice;
  EXPECT_EQ(pointer(4), 8);
  const Function<int(int)> lambda = [](int n) { return n + 1; };
  EXPECT_EQ(lambda(4), 5);
}

TEST(Function, keeps_the_state_of_a_mutable_callable) {
  const Function<int()> count = [n = 0]() mutable { return ++n; };
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(count(), 2);
}

TEST(Function, passes_references_as_references) {
  std::string text = "a";
  const Function<std::string&(std::string&)> f = [](std::string& s) -> std::string& { return s += "b"; };
  EXPECT_EQ(&f(text), &text);
  EXPECT_EQ(text, "ab");
}

TEST(Function, takes_and_returns_what_can_only_be_moved) {
  const Function<std::unique_ptr<int>(std::unique_ptr<int>)> f = [](std::unique_ptr<int> p) {
    ++*p;
    return p;
  };
  EXPECT_EQ(*f(std::make_unique<int>(1)), 2);
  const Function<int()> holder = [p = std::make_unique<int>(9)] { return *p; };
  EXPECT_EQ(holder(), 9);
}

TEST(Function, drops_a_result_where_none_is_wanted) {
  const Function<void(int)> f = twice;
  f(1);
}

TEST(Function, converts_the_result) {
  const Function<std::string()> f = [] { return "literal"; };
  EXPECT_EQ(f(), "literal");
}

TEST(Function, takes_only_what_can_be_called_so) {
  struct Nothing {};
  static_assert(!std::is_constructible_v<Function<int(int)>, Nothing>);
  static_assert(!std::is_constructible_v<Function<int(int)>, std::string (*)(int)>);
  static_assert(!std::is_copy_constructible_v<Function<int(int)>>);
  static_assert(std::is_nothrow_move_constructible_v<Function<int(int)>>);
}

TEST(Function, keeps_an_overaligned_callable_where_it_is_aligned) {
  struct alignas(64) Wide {
    bool operator()() const { return reinterpret_cast<std::uintptr_t>(this) % 64 == 0; }
  };
  Function<bool()> f = Wide{};
  EXPECT_TRUE(f());
  const Function<bool()> moved = std::move(f);
  EXPECT_TRUE(moved());
}

TEST(Function, keeps_a_callable_whose_move_may_throw_away_from_its_own_moves) {
  struct ThrowsOnMove {
    ThrowsOnMove() = default;
    ThrowsOnMove(ThrowsOnMove&& other) noexcept(false) : moves(other.moves + 1) {}
    int operator()() const { return moves; }
    int moves = 0;
  };
  Function<int()> f = ThrowsOnMove();
  const Function<int()> moved = std::move(f);
  EXPECT_EQ(moved(), 1);  // into the function; not again
}

TEST(Function, lets_the_exception_of_its_callable_through) {
  const Function<void()> f = [] { throw std::runtime_error("no"); };
  EXPECT_THROW(f(), std::runtime_error);
}

TEST(Function, holds_nothing_when_the_callable_cannot_be_copied_in) {
  struct Refuses {
    Refuses() = default;
    Refuses(const Refuses&) { throw std::runtime_error("no"); }
    void operator()() const {}
  };
  const Refuses refuses;
  EXPECT_THROW(Function<void()>{refuses}, std::runtime_error);
}

TEST(Function, is_empty_already_while_what_it_held_dies) {
  struct Looks {
    explicit Looks(Function<void()>& f_) : f(&f_) {}
    Looks(Looks&& other) noexcept : f(std::exchange(other.f, nullptr)) {}
    Looks(const Looks&) = delete;
    Looks& operator=(const Looks&) = delete;
    ~Looks() {
      if (f == nullptr) return;
      EXPECT_FALSE(*f);
      *f = Function<void()>();  // no further effect
    }
    void operator()() const {}
    Function<void()>* f;
  };
  Function<void()> f;
  f = Looks(f);
  f = Function<void()>();
  EXPECT_FALSE(f);
}

}  // namespace
}  // namespace tern::base
