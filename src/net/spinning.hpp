// Whether a loop that has nothing to do looks for more for a while before it goes to sleep. Going to sleep and being
// woken takes longer than many an answer, and costs as much CPU time as some 20 µs of looking.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace tern::net {

class Watched;

class Spinning {
public:
  // As Loop::set_spin().
  void set(std::optional<unsigned> microseconds) noexcept {
    by_itself_ = !microseconds.has_value();
    length_ = std::uint64_t{microseconds.value_or(default_length)} * 1000;
  }

  // How long to look for more, in nanoseconds.
  std::uint64_t length() const noexcept { return length_; }

  // Before each sleep, with what alone has woken the loop (null: several, or none) and how often it has sent so far:
  // whether to look for more first.
  //
  // By itself a loop does only while one connection asks again and again, whose client waits for each answer: it comes
  // alone, and something has been sent since. What only sends costs less if it is let gather, in a sleep. With
  // several, what comes next is nobody's answer to what has just left, and looking for it would cost a processor that
  // is half busy the other half. Each time in vain makes it twice as many sleeps until the next, so that all those
  // together cost next to nothing.
  bool worth(const Watched* alone, std::uint64_t sends) noexcept {
    if (length_ == 0) return false;
    if (!by_itself_) return last_sleep_was_short_;
    const bool same = alone != nullptr && alone == last_ && sends != sends_;
    last_ = alone;
    sends_ = sends;
    in_a_row_ = same ? std::min(in_a_row_ + 1, least_in_a_row) : 0;
    if (in_a_row_ < least_in_a_row) return false;
    if (to_skip_ == 0) return true;
    --to_skip_;
    return false;
  }

  // After it has looked: whether something came meanwhile from the outside.
  void tell(bool found) noexcept {
    pause_ = found ? 0 : std::clamp(2 * pause_, 1U, longest_pause);
    to_skip_ = pause_;
  }

  // Whether it matters how long the loop has slept, which slept() is told then.
  bool goes_by_sleeps() const noexcept { return !by_itself_ && length_ != 0; }
  void slept(std::uint64_t nanoseconds) noexcept { last_sleep_was_short_ = nanoseconds < length_; }

private:
  static constexpr unsigned default_length = 50;   // microseconds
  static constexpr unsigned least_in_a_row = 8;    // times that the same one has woken the loop again
  static constexpr unsigned longest_pause = 1024;  // sleeps

  std::uint64_t length_ = 0;
  const Watched* last_ = nullptr;  // compared only; may be gone
  std::uint64_t sends_ = 0;
  unsigned in_a_row_ = 0;
  unsigned pause_ = 0;
  unsigned to_skip_ = 0;
  bool by_itself_ = false;
  bool last_sleep_was_short_ = false;
};

}  // namespace tern::net
