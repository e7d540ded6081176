// A gate before something that may go: many threads pass in and out, and who closes it waits until nobody is inside. As
// long as a thread is inside, what the gate guards is there. Passing in waits for nobody.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace tern::base {

class Gate {
public:
  explicit Gate(bool is_open = true) noexcept : state_(is_open ? 0 : closed) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Inside from its construction to its destruction, if it is true. A thread may be inside several times.
  class Pass {
  public:
    explicit Pass(Gate& gate) noexcept : gate_(gate), inside_(gate.enter()) {
      if (!inside_) gate_.leave();
    }
    ~Pass() {
      if (inside_) gate_.leave();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    explicit operator bool() const noexcept { return inside_; }

  private:
    Gate& gate_;
    const bool inside_;
  };

  // What was done before is seen by whoever passes in.
  void open() noexcept { state_.fetch_and(~closed, std::memory_order_release); }
  // Nobody passes in any more. Returns when all have left, and sees what they did; not from inside. Those inside go on
  // for some instructions only, so that giving the processor away to them is enough of a wait. Leaving touches nothing
  // after the count, so that the gate may be destroyed then.
  void close() noexcept {
    state_.fetch_or(closed, std::memory_order_relaxed);
    while (state_.load(std::memory_order_acquire) != closed) std::this_thread::yield();
  }

private:
  static constexpr std::uint64_t closed = 1;
  static constexpr std::uint64_t one = 2;  // a thread inside, or one that finds out that it is not

  // Acquires what open() released: every change of state_ is a read-modify-write, so whoever reads a later one has it
  // too. leave() releases to close() in the same way.
  bool enter() noexcept { return (state_.fetch_add(one, std::memory_order_acquire) & closed) == 0; }
  void leave() noexcept { state_.fetch_sub(one, std::memory_order_release); }

  std::atomic<std::uint64_t> state_;
};

}  // namespace tern::base
