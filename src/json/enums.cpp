#include <tern/json/enums.hpp>

#include <algorithm>

#include <tern/base/ascii.hpp>
#include <tern/json/reflect.hpp>

namespace tern::json::detail {

namespace {

// Where the last item of a list begins that ", " separates, not counting what stands in brackets:
// "(Color)-1, ns::Pair<int, char>::Red" -> "ns::Pair<int, char>::Red".
std::size_t start_of_last_item(std::string_view list) {
  int depth = 0;
  for (std::size_t i = list.size(); i > 0; --i) {
    const char c = list[i - 1];
    if (c == ')' || c == '>' || c == ']' || c == '}') ++depth;
    if (c == '(' || c == '<' || c == '[' || c == '{') --depth;
    if (depth < 0 || (depth == 0 && c == ',')) return i;
  }
  return 0;
}

}  // namespace

// GCC:   … [with E = Color; E ...Values = {(Color)-1, Color::Red, …}]
// Clang: … [E = Color, Values = <(Color)-1, Color::Red, …>]
EnumTable::EnumTable(std::string_view spelled, std::int64_t first, std::size_t count) {
  spelled.remove_suffix(std::min<std::size_t>(spelled.size(), 2));  // "}]" or ">]"
  for (std::size_t left = count; left > 0; --left) {
    const std::size_t start = start_of_last_item(spelled);
    const std::string_view name = last_identifier(spelled.substr(start));
    if (!name.empty() && !base::is_digit(name.front())) add(first + static_cast<std::int64_t>(left - 1), name);
    spelled = spelled.substr(0, start > 0 ? start - 1 : 0);
  }
  std::reverse(names_.begin(), names_.end());
  std::reverse(values_.begin(), values_.end());
}

void EnumTable::add(std::int64_t value, std::string_view name) {
  values_.push_back(value);
  names_.push_back(name);
}

std::optional<std::string_view> EnumTable::name(std::int64_t value) const {
  const auto found = std::find(values_.begin(), values_.end(), value);
  if (found == values_.end()) return std::nullopt;
  return names_[static_cast<std::size_t>(found - values_.begin())];
}

std::optional<std::int64_t> EnumTable::value(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  return values_[static_cast<std::size_t>(found - names_.begin())];
}

}  // namespace tern::json::detail
