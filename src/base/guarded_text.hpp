// For tests of parsers: text followed by an unreadable page, so that reading beyond the end crashes the test.
// Optionally with padding in between, for parsers that may read it.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>

namespace tern::testing {

class GuardedText {
public:
  static constexpr std::size_t page = 4096;
  static constexpr std::size_t room = 128 * page;

  explicit GuardedText(std::size_t padding = 0) : padding_(padding) {
    void* mapped = mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<char*>(mapped);
    if (mprotect(begin_ + room, page, PROT_NONE) != 0) throw std::bad_alloc();
    for (std::size_t i = 0; i < padding; ++i) begin_[room - 1 - i] = "\n\r: "[i % 4];  // invalid in most grammars
  }
  ~GuardedText() { munmap(begin_, room + page); }
  GuardedText(const GuardedText&) = delete;
  GuardedText& operator=(const GuardedText&) = delete;

  // A copy of at most `room` bytes less the padding. Overwrites the previous copy, so that tests detect stale views.
  std::string_view copy(std::string_view text) {
    if (text.size() > room - padding_) throw std::bad_alloc();
    std::memset(begin_ + room - padding_ - size_, '?', size_);
    size_ = text.size();
    char* const to = begin_ + room - padding_ - size_;
    if (size_ != 0) std::memcpy(to, text.data(), size_);
    return {to, size_};
  }

private:
  char* begin_ = nullptr;
  std::size_t padding_;
  std::size_t size_ = 0;
};

}  // namespace tern::testing
