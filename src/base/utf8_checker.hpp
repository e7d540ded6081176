// UTF-8 that comes in pieces: whether they are well formed one behind the other, however they were cut.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tern::base {

class Utf8Checker {
public:
  // False as soon as no continuation could make the text well formed; the checker is of no use then until reset().
  bool feed(std::string_view piece) noexcept;
  // Whether the text may end here.
  bool complete() const noexcept { return pending_size_ == 0; }
  void reset() noexcept { pending_size_ = 0; }

private:
  bool finish_pending(std::string_view& piece) noexcept;

  std::array<char, 4> pending_{};  // the beginning of a sequence whose end has not come
  std::size_t pending_size_ = 0;
};

}  // namespace tern::base
