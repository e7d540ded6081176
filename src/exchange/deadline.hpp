// The deadline of a connection or stream: one timer, whose purpose changes.
#pragma once

#include "net/loop.hpp"

#include <tern/base/duration.hpp>
#include <tern/coro/executor.hpp>

#include <cstdint>
#include <utility>

namespace tern::exchange {

// `Purpose` is an enumeration; Purpose::None is no deadline. name_of(Purpose) says what it is for, as a literal. On the
// loop's thread.
template <class Purpose>
class Deadline : private Timer {
public:
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  Purpose deadline() const noexcept { return purpose_; }
  void clear_deadline() noexcept { purpose_ = Purpose::None; }
  // A timeout of zero means none. The timer is moved only if the deadline becomes earlier, and is rearmed when it fires
  // too early: so the idle deadline of a busy connection costs a store.
  void set_deadline(Purpose purpose, Milliseconds timeout) {
    purpose_ = timeout.count() == 0 ? Purpose::None : purpose;
    if (purpose_ == Purpose::None) return;
    due_ = loop_.now() + static_cast<std::uint64_t>(timeout.count());
    if (armed() && armed_for_ <= due_) return;
    armed_for_ = due_;
    loop_.arm(*this, timeout);
  }

protected:
  explicit Deadline(net::Loop& loop) noexcept : loop_(loop) {}
  ~Deadline() { loop_.disarm(*this); }

  // The deadline has passed and is cleared.
  virtual void on_deadline(Purpose purpose) noexcept = 0;

private:
  TimerPurpose purpose() const noexcept final {
    if (purpose_ == Purpose::None) return {.what = nullptr};
    return {.what = name_of(purpose_), .due = due_};
  }
  void on_timer() noexcept final {
    if (purpose_ == Purpose::None) return;
    const std::uint64_t now = loop_.now();
    if (now >= due_) return on_deadline(std::exchange(purpose_, Purpose::None));
    armed_for_ = due_;
    loop_.arm(*this, Milliseconds(static_cast<std::int64_t>(due_ - now)));
  }

  net::Loop& loop_;
  std::uint64_t due_ = 0;
  std::uint64_t armed_for_ = 0;  // when the timer will fire
  Purpose purpose_ = Purpose::None;
};

}  // namespace tern::exchange
