// Divides the work of inflating among the WebSockets of a loop, so that a kilobyte that becomes a megabyte holds up
// nobody else: in each iteration of the loop some of them inflate a quantum each, in the order in which they have come
// to wait.
#pragma once

#include "net/loop.hpp"

#include <tern/coro/list.hpp>

#include <cstddef>
#include <cstdint>

namespace tern::server {

// Of one loop, on its thread. Counted in bytes that inflating reads and writes.
class InflationQueue final : private net::IterationEnd {
public:
  static constexpr std::size_t quantum = 64 * 1024;             // of a WebSocket, before others have their turn
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

  // How many bytes one that does not wait may inflate now, which are to be charged; 0 when it has to wait.
  std::size_t available() noexcept;
  void charge(std::size_t bytes) noexcept { left_ -= bytes < left_ ? bytes : left_; }
  // Behind all who wait. Once is enough.
  void wait(Waiter& waiter) noexcept;

private:
  void on_iteration_end() noexcept override;

  net::Loop& loop_;
  coro::List<Waiter> waiting_;
  std::size_t left_ = 0;         // for those who do not wait, in iteration_
  std::uint64_t iteration_ = 0;  // the iteration of the loop
};

}  // namespace tern::server
