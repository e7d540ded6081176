// Output of one stream that the kernel had no room for.
#pragma once

#include "net/output.hpp"

#include <sys/uio.h>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace tern::net {

class BufferPool;

class SendQueue {
public:
  // At most so many pieces go into one gathered write.
  static constexpr std::size_t max_pieces = 64;

  // Large strings that have been sent go to `pool`, if there are any, which outlive the queue.
  explicit SendQueue(BufferPool* pool = nullptr) : buffer_pool_(pool) {}  // throws std::bad_alloc

  // The first pieces of `output` as the kernel wants them; returns how many there are.
  static std::size_t gather(const Output& output, iovec (&pieces)[max_pieces]) noexcept;
  std::size_t gather(iovec (&pieces)[max_pieces]) const noexcept;

  void append(std::string_view bytes);
  // Takes all but the first `skip` bytes of `output` over, and leaves it empty.
  void take(Output& output, std::size_t skip);

  void consume(std::size_t count) noexcept;
  std::size_t size() const noexcept { return size_; }
  // Of its own memory; borrowed bytes belong to the caller.
  std::size_t held() const noexcept { return held_; }

private:
  void append_body(Piece&& piece, std::size_t skip);

  BufferPool* buffer_pool_;
  std::deque<Piece> pieces_;
  std::size_t sent_ = 0;  // of the first piece
  std::size_t size_ = 0;
  std::size_t held_ = 0;
};

}  // namespace tern::net
