// The memory that a ring receives into: buffers that the kernel picks from as bytes arrive, and that are given back
// when those have been presented.
//
// The kernel takes no more of a buffer than has arrived, and goes on there with whatever arrives next, of any
// connection (incremental buffers, Linux 6.12): so they are large, which bodies like, and few, which caches like and
// which bounds what one connection gets in a round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

struct io_uring;
struct io_uring_buf_ring;

namespace tern::net {

class ReceiveBuffers {
public:
  static constexpr int group = 0;

  // Throws std::system_error when the kernel refuses.
  explicit ReceiveBuffers(io_uring& ring);
  ReceiveBuffers(const ReceiveBuffers&) = delete;
  ReceiveBuffers& operator=(const ReceiveBuffers&) = delete;
  ~ReceiveBuffers();  // after the ring is closed

  struct Taken {
    std::span<char> bytes;
    std::size_t room;  // bytes in front that are of no use to anybody any more
  };
  // The bytes of a completion, in the order of completions.
  Taken take(unsigned number, std::size_t bytes) noexcept;
  // When they have been presented; `more` is what the completion said about this buffer.
  void give_back(unsigned number, bool more) noexcept;

private:
  void provide(unsigned number) noexcept;

  io_uring_buf_ring* ring_ = nullptr;
  char* memory_ = nullptr;
  std::vector<std::size_t> taken_;  // how much of each buffer
};

}  // namespace tern::net
