#include <tern/coro/executor.hpp>

namespace tern {
namespace {

thread_local constinit Executor* running = nullptr;

}  // namespace

Executor* Executor::current() noexcept {
  return running;
}

Executor* Executor::make_current(Executor* executor) noexcept {
  return std::exchange(running, executor);
}

}  // namespace tern
