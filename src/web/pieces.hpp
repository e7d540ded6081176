// Many small pieces of text that become one string: collected on the stack, without a call for each.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace tern::web {

// A view of text that is added often. The beginning is kept here as well, so that a short text is copied as one block
// of constant size.
class Fragment {
public:
  static constexpr std::size_t block = 32;

  explicit Fragment(std::string_view text) noexcept : text_(text) { text.copy(block_, block); }

  std::string_view text() const noexcept { return text_; }
  bool is_short() const noexcept { return text_.size() <= block; }
  // Writes a whole block.
  char* write(char* to) const noexcept {
    std::memcpy(to, block_, block);
    return to + text_.size();
  }

private:
  std::string_view text_;
  char block_[block] = {};
};

class Pieces {
public:
  static constexpr std::size_t room = 4096;

  explicit Pieces(std::string& out) noexcept : out_(out) {}
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  void add(std::string_view text) {
    if (text.size() > room) {
      flush() += text;
    } else {
      add(text.size(), [text](char* to) { return to + text.copy(to, text.size()); });
    }
  }
  void add(const Fragment& fragment) {
    if (!fragment.is_short()) return add(fragment.text());
    add(Fragment::block, [&fragment](char* to) { return fragment.write(to); });
  }
  // `write` writes at most so many bytes, and returns their end.
  void add(std::size_t most, const auto& write) {
    if (most > room - used_) flush();
    used_ = static_cast<std::size_t>(write(bytes_ + used_) - bytes_);
  }

  // Appends what was added; without this at the end, it is lost.
  [[gnu::noinline]] std::string& flush() {
    out_.append(bytes_, std::exchange(used_, 0));
    return out_;
  }
  std::size_t size() const noexcept { return out_.size() + used_; }

private:
  std::string& out_;
  std::size_t used_ = 0;
  char bytes_[room];
};

}  // namespace tern::web
