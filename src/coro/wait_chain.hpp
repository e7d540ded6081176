// Where coroutines wait: the chain from the one that waits to the outermost that awaits it.
//
// Nothing is kept for this while requests run. A wait has the handle of its coroutine anyway, and a task the
// continuation that its end calls; that of an awaited task is coro::resume_task, by which it is recognised. The
// A task of when_all(), when_any() or a Scope has the address of its group in the same place (coro::end_grouped_task).
// The functions are found by the pointer that a frame begins with, in the ABI of GCC and Clang: it resumes the
// coroutine.
#pragma once

#include <tern/coro/task.hpp>
#include <tern/coro/wait_log.hpp>

#include <cstddef>
#include <vector>

namespace tern::coro {

struct WaitChain {
  const char* what = nullptr;          // what is awaited, as a literal
  std::vector<const void*> functions;  // code of the coroutines, the innermost first
};

inline constexpr std::size_t max_chain = 32;

// Of a coroutine that waits. The chain ends with a coroutine of another type, with one that was started otherwise than
// by co_await or for a group, such as the handler of a request, and with a task of a Scope before its join(). While
// all of it waits.
std::vector<const void*> chain_from(Suspended waiting);
// Of the last `max` waits that are noted in `log`, the newest first. On its loop, not within a coroutine.
std::vector<WaitChain> chains_of(const WaitLog& log, std::size_t max);

}  // namespace tern::coro
