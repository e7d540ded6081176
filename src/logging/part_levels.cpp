#include "logging/part_levels.hpp"

#include <algorithm>
#include <utility>

namespace tern::logging {

PartLevels::PartLevels(LogLevel level, std::vector<PartLevel> parts)
    : level_(level), lowest_(level), parts_(std::move(parts)) {
  update();
}

void PartLevels::update() noexcept {
  LogLevel lowest = level();
  for (const PartLevel& part : parts_) lowest = std::min(lowest, part.level);
  lowest_.store(lowest, std::memory_order_relaxed);
  has_parts_.store(!parts_.empty(), std::memory_order_relaxed);
}

LogLevel PartLevels::find(std::string_view part) const noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(parts_, part, &PartLevel::part);
  return found == parts_.end() ? level() : found->level;
}

std::vector<PartLevel> PartLevels::parts() const {
  const std::lock_guard lock(mutex_);
  return parts_;
}

void PartLevels::set(LogLevel level) noexcept {
  const std::lock_guard lock(mutex_);
  level_.store(level, std::memory_order_relaxed);
  update();
}

bool PartLevels::set(std::string_view part, LogLevel level) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(parts_, part, &PartLevel::part);
  if (found != parts_.end()) {
    found->level = level;
  } else if (parts_.size() < max_parts) {
    parts_.push_back({std::string(part), level});
  } else {
    return false;
  }
  update();
  return true;
}

void PartLevels::unset(std::string_view part) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(parts_, [part](const PartLevel& one) { return one.part == part; });
  update();
}

}  // namespace tern::logging
