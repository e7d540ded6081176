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

// The coroutine that awaits the task, or its group; none if that is not known.
Suspended awaiting(std::coroutine_handle<> task) noexcept {
  const Continuation& next = std::coroutine_handle<PromiseCore>::from_address(task.address()).promise().continuation;
  if (next.call == &resume_task) return {std::coroutine_handle<>::from_address(next.context), true};
  if (next.call == &end_grouped_task) return static_cast<const GroupedTask*>(next.context)->awaited_by();
  return {};
}

}  // namespace

void resume_task(void* frame) {
  std::coroutine_handle<>::from_address(frame).resume();
}

void end_grouped_task(void* task) {
  static_cast<GroupedTask*>(task)->on_end();
}

std::vector<const void*> chain_from(Suspended waiting) {
  std::vector<const void*> functions;
  while (waiting.handle && functions.size() < max_chain) {
    functions.push_back(function_of(waiting.handle));
    waiting = waiting.is_task ? awaiting(waiting.handle) : Suspended();
  }
  return functions;
}

std::vector<WaitChain> chains_of(const WaitLog& log, std::size_t max) {
  std::vector<WaitChain> chains;
  for (const Waiter* wait = log.newest(); wait != nullptr && chains.size() < max; wait = wait->older()) {
    chains.push_back({wait->awaits(), chain_from({wait->waiting(), wait->waiting_is_task()})});
  }
  return chains;
}

}  // namespace tern::coro
