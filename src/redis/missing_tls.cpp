// Replaces tls.cpp in builds without TLS (TERN_TLS): there are no contexts, and therefore no channels.
#include "redis/tls.hpp"

#include <tern/base/expects.hpp>

#include <stdexcept>

namespace tern::redis {
namespace {

[[noreturn]] void unreachable() {
  base::invariant_broken("there are no channels without TLS", __builtin_FILE(), __builtin_LINE());
}

}  // namespace

TlsContext::TlsContext(const RedisOptions&, const std::string& who) {
  throw std::invalid_argument(who + ": this library was built without TLS (TERN_TLS)");
}
TlsContext::~TlsContext() = default;

TlsChannel::TlsChannel(const TlsContext&, int descriptor) : descriptor_(descriptor) {
  unreachable();
}
TlsChannel::~TlsChannel() = default;
Moved TlsChannel::handshake() noexcept {
  unreachable();
}
Moved TlsChannel::send(std::string_view) noexcept {
  unreachable();
}
Moved TlsChannel::receive(std::span<char>) noexcept {
  unreachable();
}
std::string TlsChannel::failure() const {
  unreachable();
}

}  // namespace tern::redis
