// Where bytes are.
#pragma once

#include <functional>
#include <string_view>

namespace tern::base {

// Whether all of `bytes` are bytes of `whole`, in the same place.
inline bool lies_in(std::string_view bytes, std::string_view whole) noexcept {
  return !std::less<>()(bytes.data(), whole.data()) &&
         !std::less<>()(whole.data() + whole.size(), bytes.data() + bytes.size());
}

}  // namespace tern::base
