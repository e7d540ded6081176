// What a bus has of its server.
#pragma once

#include "server/log.hpp"
#include "server/socket_bus.hpp"

#include <tern/base/utf8.hpp>
#include <tern/http/bus.hpp>
#include <tern/http/websocket.hpp>

#include <string_view>
#include <utility>

namespace tern::server {

class BusDesk final : public BusHost {
public:
  BusDesk(SocketBus& sockets, Log& log) noexcept : sockets_(sockets), log_(log) {}

  // No server publishes to a topic with wildcards, or text that is not UTF-8; other clients of the bus may.
  void deliver(const Publication& publication) override {
    const bool is_text = !publication.is_text || base::is_utf8(publication.content);
    if (is_text && is_topic(publication.topic)) return sockets_.deliver(publication);
    if (std::exchange(refusal_was_logged_, true)) return;
    warn("the bus delivered a publication whose topic has wildcards, or whose text is not UTF-8: such are ignored");
  }
  void inform(std::string_view line) override { log_.write(Severity::Info, line); }
  void warn(std::string_view line) override { log_.write(Severity::Warning, line); }

private:
  SocketBus& sockets_;
  Log& log_;
  bool refusal_was_logged_ = false;  // deliver() is called on one loop
};

}  // namespace tern::server
