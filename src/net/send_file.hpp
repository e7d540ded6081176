// From a file to a socket, without a copy in this process.
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <cstdint>

namespace tern::net {

// The number of bytes that the socket accepted, 0 if it has no room, or minus errno; -ENODATA at the end of the file.
// Like a send() with MSG_NOSIGNAL, it raises no SIGPIPE. Waits for the disk if the content is not in memory.
ssize_t send_file(int socket, int file, std::uint64_t offset, std::size_t size) noexcept;

}  // namespace tern::net
