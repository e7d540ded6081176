// Output of one stream that the kernel had no room for.
#pragma once

#include "net/output.hpp"

#include <sys/uio.h>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
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

  // The first pieces of `output` as the kernel wants them; returns how many there are. Not for output with files.
  static std::size_t gather(const Output& output, iovec (&pieces)[max_pieces]) noexcept;
  // The first pieces of the queue, as far as the next part of a file.
  std::size_t gather(iovec (&pieces)[max_pieces]) const noexcept;

  void append(std::string_view bytes);
  // Takes all but the first `skip` bytes of `output` over, and leaves it empty.
  void take(Output& output, std::size_t skip);
  // The unsent rest of the part at the front; unset if that is not a part of a file.
  std::optional<FilePart> front_file() const;
  // The size of the part of a file behind the first `count` elements; 0 if there is none.
  std::size_t file_after(std::size_t count) const noexcept;

  void consume(std::size_t count) noexcept;
  // Copies the first bytes, of memory or files, into all of `into`, and consumes them. False if a file is too short or
  // cannot be read.
  bool read(std::span<char> into) noexcept;
  bool has_files() const noexcept { return files_ != 0; }
  std::size_t size() const noexcept { return size_; }
  // Of its own memory; borrowed bytes belong to the caller, those of files to the kernel.
  std::size_t held() const noexcept { return held_; }

private:
  void append_body(Piece&& piece, std::size_t skip);

  BufferPool* buffer_pool_;
  std::deque<Piece> elements_;
  std::size_t sent_ = 0;  // of the first element
  std::size_t size_ = 0;
  std::size_t held_ = 0;
  std::size_t files_ = 0;
};

}  // namespace tern::net
