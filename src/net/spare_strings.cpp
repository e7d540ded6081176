#include "net/spare_strings.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace tern::net {
namespace {

constexpr Milliseconds patience = Seconds(1);

}  // namespace

void SpareStrings::give(std::string used) noexcept {
  const std::size_t size = used.capacity();
  if (size < least || kept_ + size > limit_) return;
  used.clear();
  try {
    strings_.push_back(std::move(used));
  } catch (const std::bad_alloc&) {
    return;
  }
  kept_ += size;
  if (!armed()) timers_.arm(*this, patience);
}

std::string SpareStrings::take(std::size_t size) noexcept {
  auto best = strings_.end();
  for (auto it = strings_.begin(); it != strings_.end(); ++it) {
    if (it->capacity() >= size && it->capacity() / 2 <= size &&
        (best == strings_.end() || it->capacity() < best->capacity()))
      best = it;
  }
  if (best == strings_.end()) return {};
  std::swap(*best, strings_.back());
  std::string found = std::move(strings_.back());
  strings_.pop_back();
  kept_ -= found.capacity();
  taken_ = true;
  return found;
}

void SpareStrings::on_timer() noexcept {
  if (strings_.empty()) return;
  if (std::exchange(taken_, false)) return timers_.arm(*this, patience);
  std::vector<std::string>().swap(strings_);
  kept_ = 0;
}

}  // namespace tern::net
