// Divides the work of inflating among the WebSockets of a loop, so that a kilobyte that inflates to a megabyte does not
// delay the others: in each iteration of the loop some of them inflate a quantum each, in the order of their wait()
// calls.
#pragma once

#include "net/loop.hpp"

#include <tern/coro/list.hpp>

#include <cstddef>
#include <cstdint>

namespace tern::websockets {

// One for each loop, on its thread. Counted in bytes that inflating reads and writes.
class InflationQueue final : private net::IterationEnd {
public:
  static constexpr std::size_t quantum = 64 * 1024;             // bytes per WebSocket, before others have their turn
  static constexpr std::size_t iteration_budget = 1024 * 1024;  // bytes: a millisecond or two

  class Waiter : public coro::Hook<Waiter> {
  public:
    // Inflates at most so many bytes, and wait()s again if that is not enough. Returns how many they were.
    virtual std::size_t on_inflation_turn(std::size_t budget) noexcept = 0;

  protected:
    Waiter() noexcept = default;
    ~Waiter() = default;
  };

  explicit InflationQueue(net::Loop& loop) noexcept : loop_(loop) {}

  // How many bytes a session that is not queued may inflate now, which are to be charged; 0 if it has to wait.
  std::size_t available() noexcept;
  void charge(std::size_t bytes) noexcept { left_ -= bytes < left_ ? bytes : left_; }
  // Appends to the queue. Has no effect while queued.
  void wait(Waiter& waiter) noexcept;

private:
  void on_iteration_end() noexcept override;

  net::Loop& loop_;
  coro::List<Waiter> waiting_;
  std::size_t left_ = 0;         // bytes for sessions that are not queued, in iteration_
  std::uint64_t iteration_ = 0;  // the iteration of the loop
};

}  // namespace tern::websockets
