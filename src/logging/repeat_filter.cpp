#include "logging/repeat_filter.hpp"

#include <algorithm>
#include <utility>

namespace tern::logging {

void RepeatFilter::close(Slot& slot) {
  if (slot.left_out.count != 0) {
    displaced_.push_back(std::exchange(slot.left_out, {}));
    --pending_;
  }
  slot.admitted = 0;
}

bool RepeatFilter::admit(std::uint64_t hash, LogLevel level, const std::string& line, Time now) {
  if (max_ == 0) return true;
  Slot& slot = slots_[hash % slots_.size()];
  // A clock that was set back begins a new time.
  if (slot.hash != hash || now < slot.begin || now - slot.begin >= time_) {
    close(slot);
    slot.hash = hash;
    slot.begin = now;
  }
  if (slot.admitted < max_) {
    ++slot.admitted;
    return true;
  }
  if (slot.left_out.count == 0) {
    slot.left_out = {level, line, 0};
    ++pending_;
  }
  ++slot.left_out.count;
  return false;
}

std::vector<RepeatFilter::Repeated> RepeatFilter::take_due(Time now, bool everything) {
  for (Slot& slot : slots_) {
    if (slot.left_out.count != 0 && (everything || now < slot.begin || now - slot.begin >= time_)) close(slot);
  }
  return std::exchange(displaced_, {});
}

std::optional<RepeatFilter::Time> RepeatFilter::next_due() const noexcept {
  if (!displaced_.empty()) return Time{};
  if (pending_ == 0) return std::nullopt;
  std::optional<Time> next;
  for (const Slot& slot : slots_) {
    if (slot.left_out.count != 0) next = std::min(next.value_or(slot.begin + time_), slot.begin + time_);
  }
  return next;
}

}  // namespace tern::logging
