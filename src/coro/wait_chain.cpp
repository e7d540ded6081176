#include "coro/wait_chain.hpp"

#include <tern/coro/task.hpp>
#include <tern/coro/waiter.hpp>

#include <cstring>

namespace tern::coro {
namespace {

// The first word of a frame.
const void* function_of(std::coroutine_handle<> waiting) noexcept {
  const void* function = nullptr;
  std::memcpy(&function, waiting.address(), sizeof function);
  return function;
}

}  // namespace

void resume_task(void* frame) {
  std::coroutine_handle<>::from_address(frame).resume();
}

std::vector<const void*> chain_from(std::coroutine_handle<> waiting, bool is_task) {
  std::vector<const void*> functions = {function_of(waiting)};
  while (is_task && functions.size() < max_chain) {
    const auto& promise = std::coroutine_handle<PromiseCore>::from_address(waiting.address()).promise();
    if (promise.continuation.call != &resume_task) break;
    waiting = std::coroutine_handle<>::from_address(promise.continuation.context);
    functions.push_back(function_of(waiting));
  }
  return functions;
}

std::vector<WaitChain> chains_of(const WaitLog& log, std::size_t max) {
  std::vector<WaitChain> chains;
  for (const Waiter* wait = log.newest(); wait != nullptr && chains.size() < max; wait = wait->older()) {
    chains.push_back({wait->awaits(), chain_from(wait->waiting(), wait->waiting_is_task())});
  }
  return chains;
}

}  // namespace tern::coro
