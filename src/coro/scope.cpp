#include <tern/coro/scope.hpp>

#include <tern/base/block_pool.hpp>
#include <tern/base/expects.hpp>
#include <tern/coro/cancelled.hpp>
#include <tern/coro/context.hpp>

#include <new>
#include <stdexcept>
#include <utility>

namespace tern {

// A task and its link in the scope.
class Scope::ScopedTask final : public coro::Hook<ScopedTask>, public coro::GroupedTask, public coro::PooledFrame {
public:
  ScopedTask(Scope& scope, Task<void> task, base::Box<coro::Context> context) noexcept
      : scope_(scope), context_(std::move(context)), task_(std::move(task)) {}

  void start() {
    const coro::ContextScope scope(context_.get());
    if (task_.start(&coro::end_grouped_task, static_cast<coro::GroupedTask*>(this))) on_end();
  }

  coro::Suspended awaited_by() const noexcept override { return scope_.idle_.awaited_by(); }

private:
  void on_end() noexcept override {
    Scope& scope = scope_;
    const base::Box<coro::Context> context = std::move(context_);  // current until the end
    std::exception_ptr error;
    try {
      task_.result();
    } catch (const Cancelled&) {  // the normal end of a stopped task
    } catch (...) {
      error = std::current_exception();
    }
    delete this;
    if (error) scope.failed(std::move(error));
    if (--scope.running_ == 0) scope.idle_.set();
  }

  Scope& scope_;
  base::Box<coro::Context> context_;  // null: none
  Task<void> task_;
};

// Stops the scope when the joining coroutine is stopped.
class Scope::StopForwarder final : private StopCallback {
public:
  StopForwarder(Scope& scope, StopToken token) noexcept : StopCallback(token), scope_(scope) {
    if (token.stop_requested()) scope_.stop();
  }

private:
  void on_stop() noexcept override { scope_.stop(); }
  Scope& scope_;
};

void Scope::clear() noexcept {
  while (ScopedTask* left = tasks_.pop()) {
    --running_;
    delete left;
  }
}

void Scope::spawn(Task<void> task) {
  task.inherit_stop(&stop_);
  coro::Context* const current = coro::Context::current();
  auto* spawned =
      new ScopedTask(*this, std::move(task), current == nullptr ? base::Box<coro::Context>() : current->fork());
  tasks_.push(*spawned);
  ++running_;
  spawned->start();
}

void Scope::failed(std::exception_ptr error) noexcept {
  if (on_error_) {
    on_error_(std::move(error));
  } else if (!first_error_) {
    first_error_ = std::move(error);
  }
}

Task<void> Scope::join() {
  const StopToken token = co_await current_stop();
  {
    const StopForwarder follower(*this, token);
    while (running_ != 0) {
      idle_.reset();
      co_await uncancelled(idle_.wait());
    }
  }
  if (first_error_) std::rethrow_exception(std::exchange(first_error_, nullptr));
  if (token.stop_requested()) throw Cancelled();
}

void spawn(Task<void> task) {
  Executor* executor = Executor::current();
  Scope* scope = executor != nullptr ? executor->background() : nullptr;
  if (scope == nullptr) throw std::logic_error("tern::spawn() on a thread that runs no app: App::spawn() is for those");
  scope->spawn(std::move(task));
}

}  // namespace tern
