#include "tern/service_manager.hpp"

#include <tern/base/number.hpp>

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

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

std::string microseconds_of(Milliseconds time) {
  return std::to_string(time.count() * 1000);
}

// A line break would begin another field.
std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  return line;
}

}  // namespace

ServiceManager::ServiceManager() : socket_(connected_to(variable("NOTIFY_SOCKET"))) {
  if (socket_) watchdog_ = watchdog_of_this_process();
}

void ServiceManager::ready(std::string_view status) const noexcept {
  if (socket_) send("READY=1\nSTATUS=" + one_line(status));
}

void ServiceManager::reloading() const noexcept {
  if (!socket_) return;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t microseconds = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds));
}

void ServiceManager::stopping(Milliseconds time) const noexcept {
  if (socket_) send("STOPPING=1\nSTATUS=Requests in flight may end\nEXTEND_TIMEOUT_USEC=" + microseconds_of(time));
}

void ServiceManager::successor(pid_t process, std::string_view status) const noexcept {
  if (socket_) send("MAINPID=" + std::to_string(process) + "\nREADY=1\nSTATUS=" + one_line(status));
}

void ServiceManager::alive() const noexcept {
  if (socket_) send("WATCHDOG=1");
}

void ServiceManager::send(std::string_view message) const noexcept {
  [[maybe_unused]] const auto sent = ::send(socket_.number(), message.data(), message.size(), MSG_NOSIGNAL);
}

}  // namespace tern
