#include "websockets/inflation_queue.hpp"

#include <algorithm>
#include <utility>

namespace tern::websockets {

std::size_t InflationQueue::available() noexcept {
  if (!waiting_.empty()) return 0;
  const std::uint64_t iteration = loop_.counters().iterations.value();
  if (std::exchange(iteration_, iteration) != iteration) left_ = iteration_budget;
  return std::min(left_, quantum);
}

void InflationQueue::wait(Waiter& waiter) noexcept {
  if (waiter.linked()) return;
  waiting_.push(waiter);
  loop_.at_iteration_end(*this);
}

// Sessions that wait again are queued behind all others.
void InflationQueue::on_iteration_end() noexcept {
  for (std::size_t left = iteration_budget; left != 0;) {
    Waiter* const first = waiting_.pop();
    if (first == nullptr) return;
    const std::size_t used = first->on_inflation_turn(quantum);
    left -= std::min(left, std::max<std::size_t>(used, 1));
  }
  if (!waiting_.empty()) loop_.at_iteration_end(*this);
}

}  // namespace tern::websockets
