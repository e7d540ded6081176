// The PROXY protocol, versions 1 and 2: a load balancer sends its client's address at the beginning of a connection.
#pragma once

#include "net/address.hpp"
#include "net/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

namespace tern::proxy {

struct ProxyHeader {
  enum class State : std::uint8_t { Incomplete, Malformed, Complete };

  State state = State::Incomplete;
  std::size_t size = 0;                               // of the header, when complete
  std::optional<net::Address> client = std::nullopt;  // none: a health check, or unknown
};

// Parses the first bytes of a connection, all that have arrived. More than 4 KiB are malformed.
ProxyHeader read_proxy_header(std::string_view bytes);

// Consumes the header of a connection, then `next` replaces it. A connection without a header is reset.
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

}  // namespace tern::proxy
