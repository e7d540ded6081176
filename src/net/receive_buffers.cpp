#include "net/receive_buffers.hpp"

#include "net/rest_buffer.hpp"

#include <liburing.h>
#include <sys/mman.h>
#include <cerrno>
#include <system_error>

namespace tern::net {
namespace {

constexpr unsigned chunk_count = 4;  // a power of two
constexpr std::size_t chunk_size = 128 * 1024;
constexpr std::size_t ring_bytes = 4096;  // a page
static_assert(chunk_count * sizeof(io_uring_buf) <= ring_bytes);
constexpr std::size_t mapped = ring_bytes + chunk_count * chunk_size + RestBuffer::padding;
constexpr std::uint16_t incremental = 2;  // IOU_PBUF_RING_INC, which liburing 2.3 lacks

}  // namespace

ReceiveBuffers::ReceiveBuffers(io_uring& ring) : taken_(chunk_count) {
  void* memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::system_category(), "mmap");
  io_uring_buf_reg request{};
  request.ring_addr = reinterpret_cast<std::uintptr_t>(memory);
  request.ring_entries = chunk_count;
  request.bgid = group;
  request.pad = incremental;  // newer headers call it flags
  if (const int result = io_uring_register_buf_ring(&ring, &request, 0); result != 0) {
    ::munmap(memory, mapped);
    throw std::system_error(-result, std::system_category(), "io_uring_register");
  }
  ring_ = static_cast<io_uring_buf_ring*>(memory);
  memory_ = static_cast<char*>(memory) + ring_bytes;
  for (unsigned i = 0; i < chunk_count; ++i) provide(i);
}

ReceiveBuffers::~ReceiveBuffers() {
  ::munmap(ring_, mapped);
}

ReceiveBuffers::Taken ReceiveBuffers::take(unsigned number, std::size_t bytes) noexcept {
  const std::size_t at = taken_[number];
  taken_[number] += bytes;
  return {.bytes = {memory_ + number * chunk_size + at, bytes}, .room = at};
}

void ReceiveBuffers::give_back(unsigned number, bool more) noexcept {
  if (!more) provide(number);
}

void ReceiveBuffers::provide(unsigned number) noexcept {
  taken_[number] = 0;
  io_uring_buf_ring_add(ring_, memory_ + number * chunk_size, chunk_size, static_cast<unsigned short>(number),
                        io_uring_buf_ring_mask(chunk_count), 0);
  io_uring_buf_ring_advance(ring_, 1);
}

}  // namespace tern::net
