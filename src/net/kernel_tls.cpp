#include "net/kernel_tls.hpp"

#include "net/descriptor.hpp"

#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <cerrno>
#include <cstring>

namespace tern::net {
namespace {

// Three of the longest records: what may be waiting when TCP was full, and the next one.
constexpr std::uint32_t room_for_records = 64 * 1024;

constexpr char module_name[] = "tls";

// 0 for what the kernel does not know, or OpenSSL does not use.
socklen_t size_of_parameters(std::uint16_t cipher) noexcept {
  switch (cipher) {
    case TLS_CIPHER_AES_GCM_128: return sizeof(tls12_crypto_info_aes_gcm_128);
    case TLS_CIPHER_AES_GCM_256: return sizeof(tls12_crypto_info_aes_gcm_256);
    case TLS_CIPHER_CHACHA20_POLY1305: return sizeof(tls12_crypto_info_chacha20_poly1305);
    default: return 0;
  }
}

bool choose_module(int socket) noexcept {
  return ::setsockopt(socket, IPPROTO_TCP, TCP_ULP, module_name, sizeof module_name) == 0;
}

}  // namespace

std::string why_no_kernel_tls() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // One that is not connected is refused as such where there is the module.
  if (!socket || choose_module(socket.number()) || errno == ENOTCONN) return {};
  const std::string reason = std::strerror(errno);
  return errno == ENOENT ? reason + " (the kernel was built without TLS, or its module is not loaded: modprobe tls)"
                         : reason;
}

bool seal_socket(int socket, const void* parameters) noexcept {
  tls_crypto_info info{};
  std::memcpy(&info, parameters, sizeof info);
  const socklen_t size = size_of_parameters(info.cipher_type);
  return size != 0 && choose_module(socket) && ::setsockopt(socket, SOL_TLS, TLS_TX, parameters, size) == 0;
}

RecordType::RecordType(msghdr& message, std::uint8_t type) noexcept {
  message.msg_control = control_;
  message.msg_controllen = sizeof control_;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_TLS;
  header->cmsg_type = TLS_SET_RECORD_TYPE;
  header->cmsg_len = CMSG_LEN(sizeof type);
  std::memcpy(CMSG_DATA(header), &type, sizeof type);
}

bool has_room(int socket) noexcept {
  std::uint32_t memory[SK_MEMINFO_VARS] = {};
  socklen_t size = sizeof memory;
  if (::getsockopt(socket, SOL_SOCKET, SO_MEMINFO, memory, &size) != 0) return false;
  return memory[SK_MEMINFO_SNDBUF] >= memory[SK_MEMINFO_WMEM_QUEUED] + room_for_records;
}

std::size_t unacknowledged(int socket) noexcept {
  pollfd state{.fd = socket, .events = 0, .revents = 0};
  if (::poll(&state, 1, 0) == 1 && (state.revents & POLLERR) != 0) return 0;
  int held = 0;
  if (::ioctl(socket, SIOCOUTQ, &held) != 0 || held < 0) return 0;
  return static_cast<std::size_t>(held);
}

std::uint64_t acknowledged(int socket) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_acked : 0;
}

}  // namespace tern::net
