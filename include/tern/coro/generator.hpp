// Generator: a coroutine that yields values on demand.
#pragma once

#include <tern/coro/task.hpp>

#include <coroutine>
#include <exception>
#include <utility>

namespace tern {

// Runs only while next() is called. One owner; one thread at a time. (std::generator comes with GCC 14.)
template <class T>
class [[nodiscard]] Generator {
public:
  struct promise_type : coro::PooledFrame {
    Generator get_return_object() noexcept {
      return Generator(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    std::suspend_always yield_value(T& yielded) noexcept {
      value = &yielded;
      return {};
    }
    std::suspend_always yield_value(T&& yielded) noexcept {
      value = &yielded;
      return {};
    }
    void return_void() const noexcept {}
    void unhandled_exception() noexcept { error = std::current_exception(); }
    void await_transform() = delete;  // generators cannot wait

    T* value = nullptr;
    std::exception_ptr error;
  };

  Generator(Generator&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Generator& operator=(Generator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  ~Generator() {
    if (handle_) handle_.destroy();
  }

  // The next value, valid until the next call; null at the end. Rethrows the coroutine's exception.
  T* next() {
    if (handle_.done()) return nullptr;
    handle_.resume();
    if (handle_.promise().error) std::rethrow_exception(std::exchange(handle_.promise().error, nullptr));
    return handle_.done() ? nullptr : handle_.promise().value;
  }

private:
  explicit Generator(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace tern
