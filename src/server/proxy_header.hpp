// The PROXY protocol, versions 1 and 2: what a load balancer says at the beginning of a connection about its client.
#pragma once

#include "net/address.hpp"
#include "net/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

namespace tern::server {

struct ProxyHeader {
  enum class State : std::uint8_t { Incomplete, Malformed, Complete };

  State state = State::Incomplete;
  std::size_t size = 0;                               // of the header, when complete
  std::optional<net::Address> client = std::nullopt;  // none: the balancer itself asks, or does not tell
};

// Looks at the first bytes of a connection, all that have come. More than 4 KiB are malformed.
ProxyHeader read_proxy_header(std::string_view bytes);

// Takes the header off a connection, then has `next` take its place. A connection that begins otherwise is reset.
class ProxyStream final : public net::StreamHandler {
public:
  ProxyStream(net::Stream& stream, net::StreamHandler& next) noexcept : stream_(stream), next_(next) {}

private:
  std::size_t on_bytes(std::span<const char> bytes) override;
  void on_end() override { stream_.abort(); }
  void on_hang_up() override { next_.on_hang_up(); }
  void on_sent() override { next_.on_sent(); }
  void on_closed(std::error_code why) override { next_.on_closed(why); }

  net::Stream& stream_;
  net::StreamHandler& next_;
};

}  // namespace tern::server
