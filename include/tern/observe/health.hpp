// Checks of what a service needs: a database, a disk, another service.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/coro/task.hpp>
#include <tern/coro/work.hpp>

#include <concepts>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace tern {

struct CheckOptions {
  // A run that takes longer is stopped, and counts as failed from then on, even if it cannot be stopped.
  Milliseconds timeout = Seconds(5);
  // Between the end of a run and the next. Until the first success, a second at most.
  Milliseconds every = Seconds(10);
  // Whether the service cannot serve without it: then /readyz fails. Otherwise it only warns.
  bool critical = true;
  std::string component_type = {};  // "datastore", "system", "component"; empty: not said
};

namespace observe {

template <class F>
concept Checkable =
    std::invocable<F&> &&
    (std::same_as<std::invoke_result_t<F&>, void> || std::same_as<std::invoke_result_t<F&>, bool> ||
     std::same_as<std::invoke_result_t<F&>, Task<>> || std::same_as<std::invoke_result_t<F&>, Task<bool>>);

inline void require(bool passes) {
  if (!passes) throw std::runtime_error("the check returned false");
}

// Calls a check; it has failed if that throws.
template <Checkable F>
class CheckWork final : public coro::Work {
public:
  explicit CheckWork(F check) : check_(std::move(check)) {}
  Task<> run() override { return run(check_); }

private:
  static Task<> run(F& check) {
    using Result = std::invoke_result_t<F&>;
    if constexpr (std::is_void_v<Result>) {
      check();
    } else if constexpr (std::is_same_v<Result, bool>) {
      require(check());
    } else if constexpr (std::is_same_v<Result, Task<bool>>) {
      require(co_await check());
    } else {
      co_await check();
    }
    co_return;
  }
  F check_;
};

}  // namespace observe
}  // namespace tern
