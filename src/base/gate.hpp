// A gate that guards an object with a limited lifetime: many threads enter and leave, and close() waits until none is
// inside. The object exists while a thread is inside. Entering does not block.
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

  // Inside from construction to destruction, if true. A thread may be inside several times.
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

  // Earlier writes are visible to threads that enter.
  void open() noexcept { state_.fetch_and(~closed, std::memory_order_release); }
  // Lets no thread enter any more, and returns when all have left; their writes are visible then. Not from inside.
  // Threads are inside for a few instructions only, so that yielding the processor is a sufficient wait. Leaving does
  // not access the gate after the count, so that it may be destroyed then.
  void close() noexcept {
    state_.fetch_or(closed, std::memory_order_relaxed);
    while (state_.load(std::memory_order_acquire) != closed) std::this_thread::yield();
  }

private:
  static constexpr std::uint64_t closed = 1;
  static constexpr std::uint64_t one = 2;  // per thread that is inside, or that is about to find the gate closed

  // Acquires open(): every change of state_ is a read-modify-write, so that a later value includes it. leave() releases
  // to close() in the same way.
  bool enter() noexcept { return (state_.fetch_add(one, std::memory_order_acquire) & closed) == 0; }
  void leave() noexcept { state_.fetch_sub(one, std::memory_order_release); }

  std::atomic<std::uint64_t> state_;
};

}  // namespace tern::base
