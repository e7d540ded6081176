#include <tern/json/rule_tree.hpp>

#include <algorithm>

namespace tern::json::detail {

VisitedTypes::VisitedTypes() noexcept = default;
VisitedTypes::~VisitedTypes() = default;

bool VisitedTypes::add(const void* type) {
  if (std::ranges::find(types_, type) != types_.end()) return false;
  types_.push_back(type);
  return true;
}

}  // namespace tern::json::detail
