#include "net/timer_wheel.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <utility>

namespace tern::net {
namespace {

constexpr std::size_t word_bits = 64;

}  // namespace

TimerWheel::~TimerWheel() {
  for (Timer*& slot : slots_) {
    while (slot != nullptr) unlink(*slot);
  }
}

void TimerWheel::arm(Timer& timer, std::uint64_t now, Milliseconds delay) noexcept {
  const auto wanted = static_cast<std::uint64_t>(std::max<Milliseconds::rep>(delay.count(), 0));
  const std::uint64_t tick = std::max((now + wanted) / tick_length, tick_) + 1;
  // Put off: its slot comes up in time, and the timer moves on from there.
  const bool stays = timer.armed() && tick >= timer.links.tick;
  if (!stays) unlink(timer);
  timer.links.tick = tick;
  if (!stays) link(timer);
}

void TimerWheel::disarm(Timer& timer) noexcept {
  if (timer.armed()) unlink(timer);
}

void TimerWheel::link(Timer& timer) noexcept {
  const std::size_t slot = slot_of(timer.links.tick);
  Timer*& first = slots_[slot];
  timer.links.next = first;
  timer.links.previous = &first;
  if (first != nullptr) first->links.previous = &timer.links.next;
  first = &timer;
  occupied_[slot / word_bits] |= std::uint64_t{1} << (slot % word_bits);
}

void TimerWheel::unlink(Timer& timer) noexcept {
  Timer** previous = std::exchange(timer.links.previous, nullptr);
  if (previous == nullptr) return;
  Timer* next = std::exchange(timer.links.next, nullptr);
  *previous = next;
  if (next != nullptr) {
    next->links.previous = previous;
    return;
  }
  // If it was the last one of its slot, the slot is empty now.
  const std::less<const void*> before;
  if (before(previous, slots_.data()) || !before(previous, slots_.data() + slot_count)) return;
  const auto slot = static_cast<std::size_t>(previous - slots_.data());
  occupied_[slot / word_bits] &= ~(std::uint64_t{1} << (slot % word_bits));
}

void TimerWheel::advance(std::uint64_t now) noexcept {
  const std::uint64_t target = now / tick_length;
  if (target <= tick_) return;
  // After a whole turn and more, one turn finds everything that is due.
  if (target - tick_ > slot_count) tick_ = target - slot_count;
  while (tick_ < target) {
    ++tick_;
    const std::size_t slot = slot_of(tick_);
    if (slots_[slot] != nullptr) visit(slot, tick_);
  }
}

void TimerWheel::visit(std::size_t slot, std::uint64_t due) noexcept {
  // The list is taken off first: what is armed meanwhile may land in this slot again.
  Timer* list = std::exchange(slots_[slot], nullptr);
  list->links.previous = &list;
  occupied_[slot / word_bits] &= ~(std::uint64_t{1} << (slot % word_bits));
  while (list != nullptr) {
    Timer& timer = *list;
    unlink(timer);
    if (timer.links.tick > due) {
      link(timer);  // put off, or a turn or more away
    } else {
      timer.on_timer();
    }
  }
}

int TimerWheel::wait(std::uint64_t now) const noexcept {
  const std::size_t start = slot_of(tick_ + 1);
  const std::size_t words = occupied_.size();
  for (std::size_t i = 0; i <= words; ++i) {
    const std::size_t word = (start / word_bits + i) % words;
    std::uint64_t bits = occupied_[word];
    const std::uint64_t after_start = ~std::uint64_t{0} << (start % word_bits);
    if (i == 0) bits &= after_start;
    if (i == words) bits &= ~after_start;
    if (bits == 0) continue;
    const std::size_t slot = word * word_bits + static_cast<std::size_t>(std::countr_zero(bits));
    const std::uint64_t at = (tick_ + 1 + (slot + slot_count - start) % slot_count) * tick_length;
    return at <= now ? 0 : static_cast<int>(std::min<std::uint64_t>(at - now, std::numeric_limits<int>::max()));
  }
  return -1;
}

}  // namespace tern::net
