// The socket of systemd's journal, or of syslog: a datagram for each line.
#pragma once

#include "net/descriptor.hpp"

#include <tern/http/log_options.hpp>

#include <string>
#include <string_view>

namespace tern::logging {

class LogSocket {
public:
  // Empty: the usual path. Throws std::runtime_error if there is no socket to send with. A daemon may start later.
  LogSocket(LogTarget target, std::string path);

  // False, with error(), if the line was not taken within a second.
  bool send(LogLevel level, std::string_view line) noexcept;
  int error() const noexcept { return error_; }

private:
  LogTarget target_;
  std::string path_;
  std::string name_;  // of this program
  net::Descriptor socket_;
  int error_ = 0;
};

}  // namespace tern::logging
