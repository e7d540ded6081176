// Text as a template argument: Header<"Accept-Language">.
#pragma once

#include <cstddef>
#include <string_view>

namespace tern {

// A text of N - 1 characters. A literal converts to it.
template <std::size_t N>
struct FixedText {
  char characters[N];
  consteval FixedText(const char (&text)[N]) {  // NOLINT: a literal is one
    for (std::size_t i = 0; i < N; ++i) characters[i] = text[i];
  }
  // The first N - 1 characters of `text`.
  consteval explicit FixedText(std::string_view text) : characters{} {
    for (std::size_t i = 0; i + 1 < N; ++i) characters[i] = text[i];
  }
  constexpr std::string_view view() const { return {characters, N - 1}; }
};

}  // namespace tern
