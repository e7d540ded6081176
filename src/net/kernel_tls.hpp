// Kernel TLS, the sending side (Linux's module "tls"): what is sent over a TCP socket leaves as TLS records, which the
// kernel seals. What is received is not touched. docs/adr/0017-kernel-tls.md says why it is as it is.
#pragma once

#include <sys/socket.h>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tern::net {

// Why the kernel seals for nobody here, for a person to read; empty where it does. A kernel loads the module by itself
// only for those who may administer networks.
std::string why_no_kernel_tls();

// Has the kernel seal what is sent from now on. `parameters` begin with a tls_crypto_info (<linux/tls.h>), which says
// of which cipher they are. False where the kernel does not do it for this socket or cipher: it goes on as before.
bool seal_socket(int socket, const void* parameters) noexcept;

// What makes of a message to a sealed socket one record that is not application data: all of it is taken, or nothing.
class RecordType {
public:
  RecordType(msghdr& message, std::uint8_t type) noexcept;

private:
  alignas(cmsghdr) char control_[CMSG_SPACE(sizeof(std::uint8_t))] = {};
};

// Whether TCP takes at once all that may have been sealed and not been handed to it, and a record more. When a record
// is sent then, nothing is left behind.
bool has_room(int socket) noexcept;

// What TCP holds because the peer has not acknowledged it, in bytes; 0 when nothing will come of it any more.
std::size_t unacknowledged(int socket) noexcept;

// What the peer has acknowledged since the socket was connected, in bytes.
std::uint64_t acknowledged(int socket) noexcept;

}  // namespace tern::net
