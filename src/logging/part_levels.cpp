#include "logging/part_levels.hpp"

#include <tern/base/number.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tern::logging {
namespace {

// Whether "orders.cpp:42" or "shop/orders.cpp:42" is this place.
bool is_place(std::string_view name, const std::source_location& place) noexcept {
  const std::size_t colon = name.rfind(':');
  if (colon == name.npos || base::parse_integer<std::uint32_t>(name.substr(colon + 1)) != place.line()) return false;
  const std::string_view file = name.substr(0, colon);
  const std::string_view path = place.file_name();
  if (file.empty() || !path.ends_with(file)) return false;
  return path.size() == file.size() || path[path.size() - file.size() - 1] == '/';
}

}  // namespace

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

LogLevel PartLevels::find(std::string_view part, const std::source_location& place) const noexcept {
  const std::lock_guard lock(mutex_);
  LogLevel found = level();
  for (const PartLevel& one : parts_) {
    if (is_place(one.part, place)) return one.level;
    if (one.part == part) found = one.level;
  }
  return found;
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
