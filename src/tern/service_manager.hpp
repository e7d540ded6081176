// What a program and its service manager tell each other: systemd's protocols, without its library (sd_notify(3),
// sd_listen_fds(3), sd_watchdog_enabled(3)).
#pragma once

#include "net/descriptor.hpp"

#include <tern/base/duration.hpp>

#include <sys/types.h>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

// The state of the service, as datagrams to the socket of NOTIFY_SOCKET. Without that variable, nothing is sent. From
// any thread; never blocks, and lost messages are not an error.
class ServiceManager {
public:
  // Reads the environment.
  ServiceManager();

  explicit operator bool() const noexcept { return static_cast<bool>(socket_); }

  // The service is ready; `status` is a line for systemctl status, and empty to keep the last.
  void ready(std::string_view status = {}) const noexcept;
  // A reload has begun; ready() ends it.
  void reloading() const noexcept;
  // The service stops, for at most `time`.
  void stopping(Milliseconds time) const noexcept;
  // Another process is the service from now on, and ready.
  void successor(pid_t process, std::string_view status) const noexcept;
  void alive() const noexcept;

  // Within which alive() is due again; nothing if the manager does not watch this process.
  std::optional<Milliseconds> watchdog() const noexcept { return watchdog_; }

private:
  void send(std::string_view message) const noexcept;

  net::Descriptor socket_;  // connected
  std::optional<Milliseconds> watchdog_;
};

}  // namespace tern
