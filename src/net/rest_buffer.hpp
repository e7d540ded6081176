// The bytes of one stream that its handler has not consumed yet. Appending and consuming cost linear time over all,
// however small the steps; an empty one owns no memory.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace tern::net {

class RestBuffer {
public:
  // So many bytes behind the last one may be read, so that a parser may look at whole vectors.
  static constexpr std::size_t padding = 64;

  RestBuffer() noexcept = default;
  RestBuffer(const RestBuffer&) = delete;
  RestBuffer& operator=(const RestBuffer&) = delete;
  ~RestBuffer() { clear(); }

  bool empty() const noexcept { return block_ == nullptr; }
  std::size_t size() const noexcept;
  std::size_t capacity() const noexcept;
  std::span<const char> bytes() const noexcept;

  void append(std::span<const char> bytes);
  void assign(std::span<const char> bytes);  // `bytes` is not part of this buffer
  void consume(std::size_t count) noexcept;
  void clear() noexcept;

private:
  struct Block {
    std::size_t capacity;
    std::size_t begin;
    std::size_t end;
    char* bytes() noexcept { return reinterpret_cast<char*>(this + 1); }
  };

  void make_room(std::size_t count);

  Block* block_ = nullptr;
};

}  // namespace tern::net
