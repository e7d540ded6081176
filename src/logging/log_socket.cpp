// The journal's native protocol (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/): fields as NAME=value in lines. Syslog as
// RFC 3164 has it, which is what local daemons read: "<priority>Nov 24 10:00:00 name[pid]: line".
#include "logging/log_socket.hpp"

#include "logging/access_log.hpp"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <new>
#include <stdexcept>
#include <utility>

namespace tern::logging {
namespace {

constexpr std::size_t max_datagram = 64 * 1024;  // of a line; what is longer is cut
constexpr int facility = 3;                      // daemons

int severity_of(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::Debug: return 7;
    case LogLevel::Info: return 6;
    case LogLevel::Warning: return 4;
    case LogLevel::Error:
    case LogLevel::Off: break;
  }
  return 3;
}

// "Nov 24 10:00:00", in UTC.
std::string syslog_time() {
  std::string log_time;
  append_log_time(log_time, std::time(nullptr));  // "24/Nov/2026:10:00:00 +0000"
  std::string day = log_time.substr(0, 2);
  if (day.front() == '0') day.front() = ' ';
  return log_time.substr(3, 3) + " " + day + " " + log_time.substr(12, 8);
}

}  // namespace

LogSocket::LogSocket(LogTarget target, std::string path)
    : target_(target),
      path_(std::move(path)),
      name_(program_invocation_short_name),
      socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  if (path_.empty()) path_ = target == LogTarget::Journal ? "/run/systemd/journal/socket" : "/dev/log";
  if (!socket_) throw std::runtime_error(std::string("there is no socket for the log: ") + std::strerror(errno));
  if (path_.size() >= sizeof(sockaddr_un::sun_path))
    throw std::runtime_error("the path of the log's socket is too long");
  const timeval second{1, 0};
  ::setsockopt(socket_.number(), SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
}

bool LogSocket::send(LogLevel level, std::string_view line) noexcept {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(path_, address.sun_path);
  try {
    line = line.substr(0, max_datagram);
    std::string datagram;
    const std::string severity = std::to_string(severity_of(level));
    if (target_ == LogTarget::Journal) {
      datagram.append("PRIORITY=").append(severity).append("\nSYSLOG_IDENTIFIER=").append(name_);
      datagram.append("\nMESSAGE=").append(line).append("\n");
    } else {
      datagram.append("<").append(std::to_string(facility * 8 + severity_of(level))).append(">");
      datagram.append(syslog_time()).append(" ").append(name_).append("[").append(std::to_string(::getpid()));
      datagram.append("]: ").append(line);
    }
    const auto sent = ::sendto(socket_.number(), datagram.data(), datagram.size(), MSG_NOSIGNAL,
                               reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (sent >= 0) return true;
    error_ = errno;
  } catch (const std::bad_alloc&) {
    error_ = ENOMEM;
  }
  return false;
}

}  // namespace tern::logging
