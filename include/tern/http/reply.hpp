// Reply: a Response, or a task that produces one.
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

// Separate members instead of a std::variant, for which GCC 12 issues warnings in users' files.
class [[nodiscard]] Reply {
public:
  Reply(Response response) noexcept : response_(std::move(response)) {}  // NOLINT: a response is a reply
  // Constructs the result of `make()` in place.
  template <class F>
  Reply(std::in_place_t, F&& make) : response_(std::forward<F>(make)()) {}
  Reply(Task<Response> task) noexcept : task_(std::move(task)) {}  // NOLINT: so is a task of one
  explicit Reply(ResponseTask task) noexcept : task_(std::move(task)) {}

  bool ready() const noexcept { return !task_; }

  // The response; only if ready(), once.
  Response& response() noexcept { return response_; }
  // The task; only if not ready().
  ResponseTask& task() noexcept { return task_; }

  // Applies f: Response(Response) to the response: immediately and without a frame if it is ready, in one pooled frame
  // otherwise.
  template <class F>
  Reply then(F f) && {
    if (ready()) return Reply(f(std::move(response_)));
    return Reply(http::continue_with(std::move(task_), std::move(f)));
  }

  // Applies f: void(Response&) to the response in place, without moving it; otherwise as then().
  template <class F>
  void edit(F f) {
    if (ready()) return f(response_);
    task_ = ResponseTask(http::continue_with(std::move(task_), [f = std::move(f)](Response response) mutable {
      f(response);
      return response;
    }));
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
