#include <tern/coro/executor.hpp>
#include <tern/coro/task.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tern {
namespace {

// An awaitable that the test opens.
struct Gate {
  std::coroutine_handle<> waiting;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiting = handle; }
  void await_resume() const noexcept {}
  void open() { std::exchange(waiting, nullptr).resume(); }
};

// Counts its live instances.
struct Counted {
  explicit Counted(int& alive_) : alive(&alive_) { ++*alive; }
  Counted(Counted&& other) noexcept : alive(other.alive) { ++*alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*alive; }
  int* alive;
};

void count(void* ends) {
  ++*static_cast<int*>(ends);
}

// Runs a task that does not wait.
template <class T>
T run(Task<T> task) {
  int ends = 0;
  EXPECT_TRUE(task.start(count, &ends));
  EXPECT_EQ(ends, 0);
  return task.result();
}

Task<int> value(int n) {
  co_return n;
}

Task<int> sum(int a, int b) {
  const int first = co_await value(a);
  const int second = co_await value(b);
  co_return first + second;
}

Task<> fail(std::string why) {
  co_await std::suspend_never();
  throw std::runtime_error(why);
}

Task<int> fail_with_value() {
  throw std::out_of_range("no value");
  co_return 1;
}

Task<int> after(Gate& gate, int n) {
  co_await gate;
  co_return n;
}

Task<> note(std::vector<int>& log, int n) {
  log.push_back(n);
  co_return;
}

TEST(Task, gives_its_value_to_who_awaits_it) {
  EXPECT_EQ(run(sum(40, 2)), 42);
}

TEST(Task, does_nothing_before_it_is_started) {
  std::vector<int> log;
  Task<> task = note(log, 1);
  EXPECT_TRUE(log.empty());
  EXPECT_FALSE(task.done());
  run(std::move(task));
  EXPECT_EQ(log, std::vector{1});
}

TEST(Task, is_empty_when_made_from_nothing_or_moved_from) {
  EXPECT_FALSE(Task<int>());
  Task<int> task = value(1);
  Task<int> moved = std::move(task);
  EXPECT_FALSE(task);
  EXPECT_TRUE(moved);
  EXPECT_EQ(run(std::move(moved)), 1);
}

TEST(Task, survives_being_moved_to_itself) {
  Task<int> task = value(1);
  Task<int>& same = task;
  task = std::move(same);
  EXPECT_EQ(run(std::move(task)), 1);
}

TEST(Task, runs_in_the_order_in_which_it_is_awaited) {
  std::vector<int> log;
  const auto outer = [](std::vector<int>& to) -> Task<> {
    to.push_back(1);
    Task<> prepared = note(to, 3);
    co_await note(to, 2);
    co_await prepared;
    to.push_back(4);
  };
  run(outer(log));
  EXPECT_EQ(log, (std::vector{1, 2, 3, 4}));
}

TEST(Task, gives_a_result_that_can_only_be_moved) {
  const auto make = [](int n) -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(n); };
  const auto outer = [](auto inner) -> Task<std::unique_ptr<int>> {
    std::unique_ptr<int> got = co_await inner(7);
    ++*got;
    co_return got;
  };
  EXPECT_EQ(*run(outer(make)), 8);
}

TEST(Task, gives_a_result_without_default_constructor) {
  struct Number {
    explicit Number(int n_) : n(n_) {}
    int n;
  };
  const auto make = []() -> Task<Number> { co_return Number(5); };
  EXPECT_EQ(run(make()).n, 5);
}

TEST(Task, converts_what_is_returned) {
  const auto make = []() -> Task<std::string> { co_return "literal"; };
  EXPECT_EQ(run(make()), "literal");
  const auto braces = []() -> Task<std::vector<int>> { co_return {1, 2, 3}; };
  EXPECT_EQ(run(braces()).size(), 3U);
}

TEST(Task, destroys_its_result_once) {
  int alive = 0;
  {
    const auto make = [](int& n) -> Task<Counted> { co_return Counted(n); };
    Task<Counted> untaken = make(alive);
    EXPECT_TRUE(untaken.start(count, nullptr));
    EXPECT_EQ(alive, 1);
    Task<Counted> taken = make(alive);
    EXPECT_TRUE(taken.start(count, nullptr));
    const Counted got = taken.result();
    EXPECT_EQ(alive, 3);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Task, throws_what_left_it_to_who_awaits_it) {
  EXPECT_THROW(run(fail("why")), std::runtime_error);
  EXPECT_THROW((void)run(fail_with_value()), std::out_of_range);
  const auto outer = []() -> Task<std::string> {
    std::string caught;
    try {
      co_await fail("why");
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    co_return caught;
  };
  EXPECT_EQ(run(outer()), "why");
}

TEST(Task, throws_through_many_tasks_and_after_a_wait) {
  Gate gate;
  const auto inner = [](Gate& g) -> Task<> {
    co_await g;
    throw std::runtime_error("late");
  };
  const auto middle = [](auto f, Gate& g) -> Task<int> {
    co_await f(g);
    co_return 1;
  };
  const auto outer = [](auto m, auto f, Gate& g) -> Task<int> {
    try {
      co_return co_await m(f, g);
    } catch (const std::runtime_error&) {
      co_return -1;
    }
  };
  Task<int> task = outer(middle, inner, gate);
  int ends = 0;
  EXPECT_FALSE(task.start(count, &ends));
  gate.open();
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(task.result(), -1);
}

TEST(Task, calls_its_starter_once_when_it_ends_after_a_wait) {
  Gate gate;
  Task<int> task = after(gate, 3);
  int ends = 0;
  EXPECT_FALSE(task.start(count, &ends));
  EXPECT_FALSE(task.done());
  EXPECT_EQ(ends, 0);
  gate.open();
  EXPECT_EQ(ends, 1);
  EXPECT_TRUE(task.done());
  EXPECT_EQ(task.result(), 3);
}

TEST(Task, has_ended_by_the_return_of_start_when_it_is_resumed_within) {
  struct Hasty {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) const { handle.resume(); }
    void await_resume() const noexcept {}
  };
  const auto hasty = []() -> Task<int> {
    co_await Hasty();
    co_return 1;
  };
  EXPECT_EQ(run(hasty()), 1);
}

TEST(Task, lets_its_starter_destroy_it_when_it_ends) {
  Gate gate;
  int alive = 0;
  const auto holds = [](Gate& g, Counted) -> Task<> { co_await g; };
  Task<> task = holds(gate, Counted(alive));
  const auto destroy = [](void* dead) { *static_cast<Task<>*>(dead) = Task<>(); };
  EXPECT_FALSE(task.start(destroy, &task));
  EXPECT_EQ(alive, 1);
  gate.open();
  EXPECT_FALSE(task);
  EXPECT_EQ(alive, 0);
}

TEST(Task, destroys_its_arguments_when_it_was_never_started) {
  int alive = 0;
  {
    const auto holds = [](Counted) -> Task<> { co_return; };
    const Task<> task = holds(Counted(alive));
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Task, destroys_all_that_it_holds_when_it_dies_waiting) {
  Gate gate;
  int alive = 0;
  int ends = 0;
  {
    const auto inner = [](Gate& g, Counted) -> Task<int> {
      co_await g;
      co_return 1;
    };
    const auto outer = [](auto f, Gate& g, int& n) -> Task<int> {
      const Counted local(n);
      Counted argument(n);
      Task<int> task = f(g, std::move(argument));
      co_return co_await task;
    };
    Task<int> task = outer(inner, gate, alive);
    EXPECT_FALSE(task.start(count, &ends));
    EXPECT_EQ(alive, 3);
    task = Task<int>();
    EXPECT_EQ(alive, 0);
  }
  EXPECT_EQ(ends, 0);
}

TEST(Task, destroys_a_temporary_task_before_the_next_statement) {
  int alive = 0;
  const auto holds = [](Counted) -> Task<> { co_return; };
  const auto outer = [](auto f, int& n) -> Task<int> {
    Counted argument(n);
    co_await f(std::move(argument));
    co_return n;
  };
  EXPECT_EQ(run(outer(holds, alive)), 1);  // `argument` alone
  EXPECT_EQ(alive, 0);
}

TEST(Task, resumes_who_waits_from_the_inside_to_the_outside) {
  std::vector<int> log;
  Gate gate;
  const auto level = [](auto self, int depth, Gate& g, std::vector<int>& to) -> Task<> {
    to.push_back(depth);
    if (depth == 3) {
      co_await g;
    } else {
      co_await self(self, depth + 1, g, to);
    }
    to.push_back(-depth);
  };
  Task<> task = level(level, 1, gate, log);
  int ends = 0;
  EXPECT_FALSE(task.start(count, &ends));
  EXPECT_EQ(log, (std::vector{1, 2, 3}));
  log.clear();
  gate.open();
  EXPECT_EQ(log, (std::vector{-3, -2, -1}));
  EXPECT_EQ(ends, 1);
  task.result();
}

// The depth of the stack, by frame addresses.
struct Stack {
  std::uintptr_t lowest = UINTPTR_MAX;
  std::uintptr_t highest = 0;
  [[gnu::noinline]] void look() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    lowest = std::min(lowest, here);
    highest = std::max(highest, here);
  }
  std::uintptr_t used() const { return highest - lowest; }
};
constexpr std::uintptr_t few_frames = 16 * 1024;

Task<int> look(Stack& stack) {
  stack.look();
  co_return 1;
}

Task<int> look_often(Stack& stack, int times, Gate* first) {
  int total = 0;
  if (first != nullptr) co_await *first;
  for (int i = 0; i < times; ++i) {
    const int one = co_await look(stack);
    total += one;
  }
  co_return total;
}

TEST(Task, uses_the_stack_of_one_for_a_million_ready_awaits) {
  Stack stack;
  EXPECT_EQ(run(look_often(stack, 1'000'000, nullptr)), 1'000'000);
  EXPECT_LT(stack.used(), few_frames);
}

TEST(Task, uses_the_stack_of_one_for_a_million_ready_awaits_after_a_wait) {
  Stack stack;
  Gate gate;
  Task<int> task = look_often(stack, 1'000'000, &gate);
  int ends = 0;
  EXPECT_FALSE(task.start(count, &ends));
  gate.open();
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(task.result(), 1'000'000);
  EXPECT_LT(stack.used(), few_frames);
}

TEST(Task, uses_the_stack_of_one_for_many_awaits_that_wait) {
  constexpr int times = 100'000;
  Stack stack;
  Gate gate;
  const auto outer = [](Stack& s, Gate& g) -> Task<int> {
    int total = 0;
    for (int i = 0; i < times; ++i) {
      const int one = co_await after(g, 1);
      s.look();
      total += one;
    }
    co_return total;
  };
  Task<int> task = outer(stack, gate);
  int ends = 0;
  EXPECT_FALSE(task.start(count, &ends));
  for (int i = 0; i < times; ++i) gate.open();
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(task.result(), times);
  EXPECT_LT(stack.used(), few_frames);
}

TEST(Task, takes_its_frames_from_the_pool) {
  const base::BlockPoolScope scope;
  Gate gate;
  // A frame that the compiler sees from beginning to end may be placed in that of its caller.
  Task<int> (*volatile const outer)(Gate&) = [](Gate& g) -> Task<int> {
    const int first = co_await sum(1, 2);
    const int second = co_await after(g, 3);
    co_return first + second;
  };
  const auto once = [&] {
    Task<int> task = outer(gate);
    int ends = 0;
    EXPECT_FALSE(task.start(count, &ends));
    gate.open();
    EXPECT_EQ(task.result(), 6);
    const Task<int> unstarted = outer(gate);
    Task<int> suspended = outer(gate);
    EXPECT_FALSE(suspended.start(count, &ends));
  };
  const std::size_t at_first = base::blocks_from_heap();
  once();
  const std::size_t before = base::blocks_from_heap();
  EXPECT_GT(before, at_first);
  for (int i = 0; i < 1000; ++i) once();
  EXPECT_EQ(base::blocks_from_heap(), before);
}

TEST(Executor, is_null_on_a_thread_without_one) {
  EXPECT_EQ(Executor::current(), nullptr);
}

TEST(Executor, is_the_one_made_current_until_another_is) {
  struct Inert final : Executor {
    void post(base::Function<void()>) override {}
    Timers& timers() noexcept override { std::abort(); }
    Executor* enter() { return make_current(this); }
    static Executor* leave() { return make_current(nullptr); }
  };
  Inert executor;
  EXPECT_EQ(executor.enter(), nullptr);
  EXPECT_EQ(Executor::current(), &executor);
  EXPECT_EQ(Inert::leave(), &executor);
  EXPECT_EQ(Executor::current(), nullptr);
}

}  // namespace
}  // namespace tern
