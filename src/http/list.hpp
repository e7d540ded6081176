// List-valued fields (RFC 9110, section 5.6.1).
#pragma once

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <string_view>

namespace tern::http {

// Takes the first element of the non-empty `list`, without surrounding blanks. An empty element is to be ignored
// (section 5.6.1.2).
inline std::string_view take_element(std::string_view& list) noexcept {
  const std::size_t comma = std::min(list.find(','), list.size());
  const std::string_view element = base::trim(list.substr(0, comma));
  list.remove_prefix(std::min(comma + 1, list.size()));
  return element;
}

enum class Expectation { None, Continue, Unknown };

// The expectation in an Expect field (RFC 9110, section 10.1.1).
inline Expectation read_expectation(std::string_view value) noexcept {
  Expectation expectation = Expectation::None;
  while (!value.empty()) {
    const std::string_view element = take_element(value);
    if (element.empty()) continue;
    if (!base::equals_ignoring_case(element, "100-continue")) return Expectation::Unknown;
    expectation = Expectation::Continue;
  }
  return expectation;
}

}  // namespace tern::http
