// Parts of files: to a socket without a copy in this process, or into a buffer.
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tern::net {

// The number of bytes that the socket accepted, 0 if it has no room, or minus errno; -ENODATA at the end of the file.
// Raises SIGPIPE if the peer has closed, which the calling thread has blocked (Loop::run). Waits for the disk if the
// content is not in memory.
ssize_t send_file(int socket, int file, std::uint64_t offset, std::size_t size) noexcept;

// Fills `into` from `offset` on. 0, or an errno; ENODATA if the file is too short. Waits for the disk like send_file().
int read_file(int file, std::uint64_t offset, std::span<char> into) noexcept;

}  // namespace tern::net
