// ResponseTask: a task whose value is converted to a response.
#pragma once

#include <tern/coro/task.hpp>
#include <tern/http/response.hpp>

#include <coroutine>
#include <exception>
#include <utility>

namespace tern {

// Owns the frame of a Task<T> without naming T, so that the conversion needs no second coroutine. Used like a
// Task<Response>.
class ResponseTask {
public:
  // Converts the value of the completed task at `frame` to a response, and destroys the frame, also if it throws.
  using Make = Response (*)(void* frame, void* context);
  // Converts an exception of the task, or of Make, to a response.
  using Catch = Response (*)(void* context, std::exception_ptr exception);

  ResponseTask() noexcept = default;
  template <class T>
  ResponseTask(Task<T> task, Make make, void* context) noexcept : make_(make), make_context_(context) {
    if (const auto frame = task.release()) {
      frame_ = frame;
      promise_ = &frame.promise();
    }
  }
  ResponseTask(Task<Response> task) noexcept : ResponseTask(std::move(task), &take, nullptr) {}  // NOLINT: it is one

  ResponseTask(ResponseTask&& other) noexcept
      : frame_(std::exchange(other.frame_, nullptr)),
        promise_(other.promise_),
        make_(other.make_),
        make_context_(other.make_context_),
        catch_(other.catch_),
        catch_context_(other.catch_context_) {}
  ResponseTask& operator=(ResponseTask&& other) noexcept {
    if (this != &other) {
      destroy();
      frame_ = std::exchange(other.frame_, nullptr);
      promise_ = other.promise_;
      make_ = other.make_;
      make_context_ = other.make_context_;
      catch_ = other.catch_;
      catch_context_ = other.catch_context_;
    }
    return *this;
  }
  ResponseTask(const ResponseTask&) = delete;
  ResponseTask& operator=(const ResponseTask&) = delete;
  ~ResponseTask() { destroy(); }

  explicit operator bool() const noexcept { return frame_ != nullptr; }

  // As Task::start().
  [[nodiscard]] bool start(void (*call)(void*), void* context) {
    base::expects(frame_ && !frame_.done(), "a task is started once");
    frame_.resume();
    if (frame_.done()) return true;
    promise_->continuation = {call, context};
    return false;
  }
  void inherit_stop(StopState* stop) noexcept { promise_->inherit_stop(stop); }

  // Sets `handle` to convert exceptions that result() would throw.
  void catch_with(Catch handle, void* context) noexcept {
    catch_ = handle;
    catch_context_ = context;
  }

  // The response of a completed task. Once.
  Response result();

  class Awaiter {
  public:
    explicit Awaiter(ResponseTask& task) noexcept : task_(task) {}
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiting) {
      return coro::start_for(waiting, task_);
    }
    Response await_resume() { return task_.result(); }

  private:
    ResponseTask& task_;
  };
  Awaiter operator co_await() && noexcept { return Awaiter(*this); }

private:
  static Response take(void* frame, void* context);
  void destroy() noexcept {
    if (frame_) std::exchange(frame_, nullptr).destroy();
  }

  std::coroutine_handle<> frame_;
  coro::PromiseCore* promise_ = nullptr;
  Make make_ = nullptr;
  void* make_context_ = nullptr;
  Catch catch_ = nullptr;
  void* catch_context_ = nullptr;
};

}  // namespace tern
