#include "tern/inheritance.hpp"

#include <tern/app/setup_error.hpp>
#include <tern/base/number.hpp>

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

namespace tern {
namespace {

constexpr int first_inherited = 3;
constexpr std::size_t max_sockets = 4096;
constexpr const char* handover_name = "TERN_HANDOVER";  // parent:sockets:names

std::string take_variable(const char* name) {
  const char* const value = std::getenv(name);
  std::string text = value == nullptr ? std::string() : std::string(value);
  ::unsetenv(name);
  return text;
}

std::string take_part(std::string& text) {
  const std::size_t end = std::min(text.find(':'), text.size());
  std::string part = text.substr(0, end);
  text.erase(0, end + 1);
  return part;
}

std::vector<net::InheritedSocket> sockets_of(std::size_t count, std::string_view names) {
  auto sockets = net::inherited_sockets(first_inherited, count, names);
  if (!sockets) throw SetupError(sockets.error().message);
  return std::move(*sockets);
}

std::optional<std::size_t> count_of(std::string_view text) {
  const auto count = base::parse_integer<std::size_t>(text);
  return count && *count <= max_sockets ? count : std::nullopt;
}

}  // namespace

Inheritance take_inheritance() {
  Inheritance inheritance;
  std::string of_predecessor = take_variable(handover_name);
  const std::string process = take_variable("LISTEN_PID");
  const std::string number = take_variable("LISTEN_FDS");
  const std::string names = take_variable("LISTEN_FDNAMES");
  if (!of_predecessor.empty()) {
    const auto parent = base::parse_integer<pid_t>(take_part(of_predecessor));
    const auto count = count_of(take_part(of_predecessor));
    if (parent != ::getppid() || !count) return inheritance;  // of some other process
    inheritance.sockets = sockets_of(*count, of_predecessor);
    inheritance.predecessor = net::Descriptor(first_inherited + static_cast<int>(*count));
    ::fcntl(inheritance.predecessor.number(), F_SETFD, FD_CLOEXEC);
  } else if (const auto count = count_of(number); count && base::parse_integer<pid_t>(process) == ::getpid()) {
    inheritance.sockets = sockets_of(*count, names);
  }
  return inheritance;
}

void give_to_listeners(Inheritance& inheritance, std::vector<transport::ListenerConfig>& listeners) {
  const bool has_predecessor = static_cast<bool>(inheritance.predecessor);
  for (net::InheritedSocket& socket : inheritance.sockets) {
    auto listener = std::ranges::find_if(listeners, [&socket](const transport::ListenerConfig& each) {
      return !each.name.empty() && each.name == socket.name;
    });
    if (listener == listeners.end()) {
      listener = std::ranges::find_if(
          listeners, [&socket](const transport::ListenerConfig& each) { return net::is_for(socket, each.address); });
    }
    if (listener == listeners.end()) {
      if (has_predecessor) continue;
      listener = listeners.begin();
    }
    if (!listener->inherited) listener->inherited = std::make_shared<std::vector<net::InheritedSocket>>();
    listener->inherited->push_back(std::move(socket));
    listener->owns_inherited_files = has_predecessor;
  }
  inheritance.sockets.clear();
}

std::string handover_variable(std::size_t sockets, std::string_view names) {
  return std::string(handover_name) + "=" + std::to_string(::getpid()) + ":" + std::to_string(sockets) + ":" +
         std::string(names);
}

bool is_of_one_process(std::string_view variable) {
  const std::string_view name = variable.substr(0, variable.find('='));
  return name == handover_name || name == "LISTEN_PID" || name == "LISTEN_FDS" || name == "LISTEN_FDNAMES" ||
         name == "WATCHDOG_PID";
}

}  // namespace tern
