#include "net/receive_buffers.hpp"

#include "net/rest_buffer.hpp"

#include <liburing.h>
#include <sys/mman.h>
#include <cerrno>
#include <system_error>

namespace tern::net {
namespace {

// From the kernel's header; Debian's liburing 2.3 is older.
constexpr std::uint16_t incremental = 2;  // IOU_PBUF_RING_INC

struct Shape {
  unsigned count;  // a power of two
  std::size_t size;
  std::uint16_t flags;
};
constexpr Shape shapes[] = {{.count = 4, .size = 64 * 1024, .flags = incremental},
                            {.count = 128, .size = 16 * 1024, .flags = 0}};

std::size_t ring_bytes(unsigned count) noexcept {
  constexpr std::size_t page = 4096;
  return (count * sizeof(io_uring_buf) + page - 1) / page * page;
}

int try_register(io_uring& ring, io_uring_buf_ring* entries, const Shape& shape) noexcept {
  io_uring_buf_reg request{};
  request.ring_addr = reinterpret_cast<std::uintptr_t>(entries);
  request.ring_entries = shape.count;
  request.bgid = ReceiveBuffers::group;
  request.pad = shape.flags;  // newer headers call it so
  return -io_uring_register_buf_ring(&ring, &request, 0);
}

}  // namespace

ReceiveBuffers::ReceiveBuffers(io_uring& ring) {
  int error = 0;
  for (const Shape& shape : shapes) {
    mapped_ = ring_bytes(shape.count) + shape.count * shape.size + RestBuffer::padding;
    void* memory = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::system_category(), "mmap");
    ring_ = static_cast<io_uring_buf_ring*>(memory);
    memory_ = static_cast<char*>(memory) + ring_bytes(shape.count);
    count_ = shape.count;
    size_ = shape.size;
    error = try_register(ring, ring_, shape);
    if (error == 0) break;
    ::munmap(memory, mapped_);
    ring_ = nullptr;
  }
  if (error != 0) throw std::system_error(error, std::system_category(), "registering buffers");
  taken_.resize(count_);
  for (unsigned i = 0; i < count_; ++i) provide(i);
}

ReceiveBuffers::~ReceiveBuffers() {
  if (ring_ != nullptr) ::munmap(ring_, mapped_);
}

ReceiveBuffers::Taken ReceiveBuffers::take(unsigned number, std::size_t count) noexcept {
  const std::size_t at = taken_[number];
  taken_[number] += count;
  return {.bytes = {buffer(number) + at, count}, .room = at};
}

void ReceiveBuffers::give_back(unsigned number, bool more) noexcept {
  if (!more) provide(number);
}

void ReceiveBuffers::provide(unsigned number) noexcept {
  taken_[number] = 0;
  io_uring_buf_ring_add(ring_, buffer(number), static_cast<unsigned>(size_), static_cast<unsigned short>(number),
                        io_uring_buf_ring_mask(count_), 0);
  io_uring_buf_ring_advance(ring_, 1);
}

}  // namespace tern::net
