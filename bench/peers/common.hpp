// What the peers in C++ share.
#pragma once

#include "../server/series.hpp"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// The whole of `text`, or zero.
template <class T>
T number(std::string_view text) {
  T value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : T{};
}

// The answer to GET /calc?value=…
inline std::string calculated(std::string_view value) {
  return std::to_string(series(number<double>(value)));
}

}  // namespace bench
