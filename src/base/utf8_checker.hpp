// Validates UTF-8 that arrives in pieces, independently of the splits.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tern::base {

class Utf8Checker {
public:
  // False as soon as no continuation can make the text valid; the checker must be reset() then.
  bool feed(std::string_view piece) noexcept;
  // Whether the text may end here.
  bool complete() const noexcept { return pending_size_ == 0; }
  void reset() noexcept { pending_size_ = 0; }

private:
  bool finish_pending(std::string_view& piece) noexcept;

  std::array<char, 4> pending_{};  // an incomplete sequence
  std::size_t pending_size_ = 0;
};

}  // namespace tern::base
