#include "tern/service_manager.hpp"

#include <tern/base/number.hpp>

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace tern {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// A path, or "@name" for an abstract address.
net::Descriptor connected_to(std::string_view name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() < 2 || name.size() >= sizeof address.sun_path || (name.front() != '/' && name.front() != '@'))
    return {};
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name.front() == '@') address.sun_path[0] = '\0';
  net::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  if (!socket || ::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), length) != 0) return {};
  return socket;
}

std::optional<Milliseconds> watchdog_of_this_process() {
  const auto microseconds = base::parse_integer<std::uint64_t>(variable("WATCHDOG_USEC"));
  const std::string_view process = variable("WATCHDOG_PID");
  if (!microseconds || *microseconds < 2000 || *microseconds > std::uint64_t{INT64_MAX}) return std::nullopt;
  if (!process.empty() && base::parse_integer<pid_t>(process) != ::getpid()) return std::nullopt;
  return Milliseconds(static_cast<std::int64_t>(*microseconds / 1000));
}

// Of a fixed size: there may be no memory when the process stops.
class Notification {
public:
  Notification& add(std::string_view text) noexcept {
    const std::size_t count = std::min(text.size(), text_.size() - size_);
    for (const char c : text.substr(0, count)) text_[size_++] = c;
    return *this;
  }
  Notification& add(std::int64_t number) noexcept {
    const auto written = std::to_chars(text_.data() + size_, text_.data() + text_.size(), number);
    if (written.ec == std::errc()) size_ = static_cast<std::size_t>(written.ptr - text_.data());
    return *this;
  }
  // The field STATUS; a line break would begin another field. Nothing if it is empty: the last one stays.
  Notification& add_status(std::string_view status) noexcept {
    if (status.empty()) return *this;
    add("\nSTATUS=");
    const std::size_t begin = size_;
    add(status);
    std::replace(text_.begin() + static_cast<std::ptrdiff_t>(begin), text_.begin() + static_cast<std::ptrdiff_t>(size_),
                 '\n', ' ');
    return *this;
  }
  std::string_view text() const noexcept { return {text_.data(), size_}; }

private:
  std::array<char, 1024> text_ = {};
  std::size_t size_ = 0;
};

}  // namespace

ServiceManager::ServiceManager() : socket_(connected_to(variable("NOTIFY_SOCKET"))) {
  if (socket_) watchdog_ = watchdog_of_this_process();
}

void ServiceManager::ready(std::string_view status) const noexcept {
  if (socket_) send(Notification().add("READY=1").add_status(status).text());
}

void ServiceManager::reloading() const noexcept {
  if (!socket_) return;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t microseconds = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  send(Notification().add("RELOADING=1\nMONOTONIC_USEC=").add(microseconds).text());
}

void ServiceManager::stopping(Milliseconds time) const noexcept {
  if (!socket_) return;
  send(Notification()
           .add("STOPPING=1\nEXTEND_TIMEOUT_USEC=")
           .add(time.count() * 1000)
           .add_status("Requests in flight may end")
           .text());
}

void ServiceManager::successor(pid_t process, std::string_view status) const noexcept {
  if (socket_)
    send(Notification().add("MAINPID=").add(std::int64_t{process}).add("\nREADY=1").add_status(status).text());
}

void ServiceManager::alive() const noexcept {
  if (socket_) send("WATCHDOG=1");
}

void ServiceManager::send(std::string_view message) const noexcept {
  [[maybe_unused]] const auto sent = ::send(socket_.number(), message.data(), message.size(), MSG_NOSIGNAL);
}

}  // namespace tern
