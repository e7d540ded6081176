// Tests whether one view is part of another.
#pragma once

#include <functional>
#include <string_view>

namespace tern::base {

// Whether `bytes` is a subrange of `whole`, by address.
inline bool is_within(std::string_view bytes, std::string_view whole) noexcept {
  return !std::less<>()(bytes.data(), whole.data()) &&
         !std::less<>()(whole.data() + whole.size(), bytes.data() + bytes.size());
}

}  // namespace tern::base
