// Suspended: a coroutine that waits, for those who look at what is going on.
#pragma once

#include <coroutine>

namespace tern::coro {

// A null handle: none.
struct Suspended {
  std::coroutine_handle<> handle;
  bool is_task = false;  // a coro::PromiseCore is where its handle leads
};

}  // namespace tern::coro
