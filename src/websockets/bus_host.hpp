// The interface of a bus to its server.
#pragma once

#include "logging/log.hpp"
#include "websockets/socket_bus.hpp"

#include <tern/base/utf8.hpp>
#include <tern/http/bus.hpp>
#include <tern/http/websocket.hpp>

#include <string_view>
#include <utility>

namespace tern::websockets {

class SocketBusHost final : public BusHost {
public:
  SocketBusHost(SocketBus& sockets, logging::Log& log) noexcept : sockets_(sockets), log_(log) {}

  // No server publishes to a topic with wildcards, or invalid UTF-8 as text; other clients of the bus may.
  void deliver(const Publication& publication) override {
    const bool is_text = !publication.is_text || base::is_utf8(publication.content);
    if (is_text && is_topic(publication.topic)) return sockets_.deliver(publication);
    if (std::exchange(refusal_was_logged_, true)) return;
    warn("the bus delivered a publication whose topic has wildcards, or whose text is not UTF-8: such are ignored");
  }
  void inform(std::string_view line) override { log_.write(LogLevel::Info, line, "bus"); }
  void warn(std::string_view line) override { log_.write(LogLevel::Warning, line, "bus"); }

private:
  SocketBus& sockets_;
  logging::Log& log_;
  bool refusal_was_logged_ = false;  // deliver() is called on one loop
};

}  // namespace tern::websockets
