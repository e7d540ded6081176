// Reply: a Response that is ready, or a task that will have it.
#pragma once

#include <tern/coro/task.hpp>
#include <tern/http/response.hpp>
#include <tern/http/response_task.hpp>

#include <utility>

namespace tern {

class Reply;

namespace http {

template <class F>
Task<Response> continue_with(ResponseTask task, F f) {
  co_return f(co_await std::move(task));
}

}  // namespace http

// Plain members instead of a std::variant, because GCC 12 warns about that in users' files.
class [[nodiscard]] Reply {
public:
  Reply(Response response) noexcept : response_(std::move(response)) {}  // NOLINT: a response is a reply
  // What `make()` returns, made where it stays.
  template <class F>
  Reply(std::in_place_t, F&& make) : response_(std::forward<F>(make)()) {}
  Reply(Task<Response> task) noexcept : task_(std::move(task)) {}  // NOLINT: so is a task of one
  explicit Reply(ResponseTask task) noexcept : task_(std::move(task)) {}

  bool ready() const noexcept { return !task_; }

  // The response; only when ready(), once.
  Response& response() noexcept { return response_; }
  // The task; only when not ready().
  ResponseTask& task() noexcept { return task_; }

  // What `f` makes of the response: at once and without a frame when it is ready, in one pooled frame when it is not.
  // f is a Response(Response).
  template <class F>
  Reply then(F f) && {
    if (ready()) return Reply(f(std::move(response_)));
    return Reply(http::continue_with(std::move(task_), std::move(f)));
  }

  class Awaiter {
  public:
    explicit Awaiter(Reply& reply) noexcept : reply_(reply) {}
    bool await_ready() const noexcept { return reply_.ready(); }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiting) {
      return coro::start_for(waiting, reply_.task_);
    }
    Response await_resume() { return reply_.ready() ? std::move(reply_.response_) : reply_.task_.result(); }

  private:
    Reply& reply_;
  };
  Awaiter operator co_await() && noexcept { return Awaiter(*this); }

private:
  Response response_;
  ResponseTask task_;
};

}  // namespace tern
