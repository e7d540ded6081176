// What nghttp2 allocates for one session, from the blocks of the thread: several small pieces for each stream, and as
// many for each answer.
#pragma once

#include <cstddef>

namespace tern::http2 {

class Memory {
public:
  Memory() = default;
  ~Memory();  // frees what is still allocated
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Whether an allocation has failed. nghttp2 must not delete its session then: where its queue of frames could not
  // grow, 1.52 frees a frame twice. The destructor frees all of it.
  bool has_failed() const noexcept { return has_failed_; }

private:
  // In front of each piece: blocks are given back with their size, which nghttp2 does not tell.
  struct alignas(std::max_align_t) Front {
    std::size_t size;  // of the piece
    Front* next;
    Front** previous;  // the pointer that points here
  };

  friend struct MemoryFunctions;  // which nghttp2 is given: functions_of(), callbacks.hpp

  static Front* front_of(void* piece) noexcept { return static_cast<Front*>(piece) - 1; }
  static void release(Front* front) noexcept;
  void* allocate(std::size_t size) noexcept;
  void* change_size(void* piece, std::size_t size) noexcept;

  Front* first_ = nullptr;
  bool has_failed_ = false;
};

}  // namespace tern::http2
