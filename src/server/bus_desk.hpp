// What a bus has of its server.
#pragma once

#include "server/log.hpp"
#include "server/socket_bus.hpp"

#include <tern/http/bus.hpp>

#include <string_view>

namespace tern::server {

class BusDesk final : public BusHost {
public:
  BusDesk(SocketBus& sockets, Log& log) noexcept : sockets_(sockets), log_(log) {}

  void deliver(const Publication& publication) override { sockets_.deliver(publication); }
  void inform(std::string_view line) override { log_.write(Severity::Info, line); }
  void warn(std::string_view line) override { log_.write(Severity::Warning, line); }

private:
  SocketBus& sockets_;
  Log& log_;
};

}  // namespace tern::server
