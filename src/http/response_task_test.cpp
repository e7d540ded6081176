#include <tern/http/response_task.hpp>

#include <gtest/gtest.h>

#include <coroutine>
#include <stdexcept>
#include <string>
#include <utility>

namespace tern {
namespace {

struct Gate {
  std::coroutine_handle<> waiting;
  void open() { std::exchange(waiting, nullptr).resume(); }
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiting = handle; }
  void await_resume() const noexcept {}
};

Task<int> number(int value) {
  co_return value;
}

Task<int> number_after(Gate& gate, int value) {
  co_await gate;
  co_return value;
}

Task<int> failure(std::string text) {
  throw std::runtime_error(text);
  co_return 0;
}

Response from_number(void* frame, void* context) {
  Task<int> task(std::coroutine_handle<Task<int>::promise_type>::from_address(frame));
  const int value = task.result();
  if (value < 0) throw std::runtime_error("negative");
  if (context != nullptr) ++*static_cast<int*>(context);
  return Response::text(std::to_string(value));
}

Response from_exception(void*, std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const std::exception& error) {
    return Response::text(std::string("caught: ") + error.what());
  }
}

std::string finish(ResponseTask task) {
  EXPECT_TRUE(task.start([](void*) {}, nullptr));
  return std::string(task.result().content());
}

TEST(ResponseTask, makes_a_response_of_a_value_of_another_type) {
  int made = 0;
  EXPECT_EQ(finish(ResponseTask(number(7), &from_number, &made)), "7");
  EXPECT_EQ(made, 1);
}

TEST(ResponseTask, is_a_task_of_a_response_too) {
  const auto make = []() -> Task<Response> { co_return Response::text("hello"); };
  EXPECT_EQ(finish(make()), "hello");
}

TEST(ResponseTask, tells_when_it_ends_after_a_wait) {
  Gate gate;
  ResponseTask task(number_after(gate, 3), &from_number, nullptr);
  int ends = 0;
  EXPECT_FALSE(task.start([](void* count) { ++*static_cast<int*>(count); }, &ends));
  EXPECT_EQ(ends, 0);
  gate.open();
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(task.result().content(), "3");
}

TEST(ResponseTask, throws_what_the_task_threw_and_what_making_throws) {
  ResponseTask task(failure("no number"), &from_number, nullptr);
  EXPECT_TRUE(task.start([](void*) {}, nullptr));
  EXPECT_THROW(static_cast<void>(task.result()), std::runtime_error);
  ResponseTask negative(number(-1), &from_number, nullptr);
  EXPECT_TRUE(negative.start([](void*) {}, nullptr));
  EXPECT_THROW(static_cast<void>(negative.result()), std::runtime_error);
}

TEST(ResponseTask, turns_into_a_response_what_it_would_throw) {
  for (const bool in_task : {true, false}) {
    ResponseTask task(in_task ? failure("in the task") : number(-1), &from_number, nullptr);
    task.catch_with(&from_exception, nullptr);
    EXPECT_EQ(finish(std::move(task)), in_task ? "caught: in the task" : "caught: negative");
  }
}

TEST(ResponseTask, keeps_what_makes_apart_from_what_catches) {
  int made = 0;
  ResponseTask task(number(7), &from_number, &made);
  task.catch_with(&from_exception, nullptr);
  EXPECT_EQ(finish(std::move(task)), "7");
  EXPECT_EQ(made, 1);
}

TEST(ResponseTask, is_awaited_like_a_task) {
  Gate gate;
  const auto outer = [](Gate& inner) -> Task<std::string> {
    Response ready = co_await ResponseTask(number(1), &from_number, nullptr);
    Response late = co_await ResponseTask(number_after(inner, 2), &from_number, nullptr);
    co_return std::string(ready.content()) + std::string(late.content());
  };
  Task<std::string> task = outer(gate);
  EXPECT_FALSE(task.start([](void*) {}, nullptr));
  gate.open();
  EXPECT_EQ(task.result(), "12");
}

TEST(ResponseTask, destroys_a_frame_that_waits) {
  Gate gate;
  bool destroyed = false;
  struct Tells {
    bool& told;
    ~Tells() { told = true; }
  };
  const auto waits = [](Gate& inner, bool& told) -> Task<int> {
    const Tells tells{told};
    co_await inner;
    co_return 0;
  };
  {
    ResponseTask task(waits(gate, destroyed), &from_number, nullptr);
    EXPECT_FALSE(task.start([](void*) {}, nullptr));
    ResponseTask moved = std::move(task);
    EXPECT_FALSE(task);
    EXPECT_FALSE(destroyed);
  }
  EXPECT_TRUE(destroyed);
}

}  // namespace
}  // namespace tern
