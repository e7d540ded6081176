// Without TLS nothing is tested over it.
#include "server/secure_end.hpp"

namespace tern::testing {

struct SecureEnd::Parts {};

bool tls_under_test() {
  return false;
}
tls::Config test_certificate() {
  return {};
}
SecureEnd::SecureEnd() = default;
SecureEnd::~SecureEnd() = default;
SecureEnd::SecureEnd(SecureEnd&&) noexcept = default;
SecureEnd& SecureEnd::operator=(SecureEnd&&) noexcept = default;
bool SecureEnd::shake_hands(net::Peer&) {
  return false;
}
bool SecureEnd::send(net::Peer&, std::string_view) {
  return false;
}
std::string SecureEnd::receive_some(net::Peer&, std::size_t) {
  return {};
}
bool SecureEnd::ended() const {
  return false;
}
bool SecureEnd::close(net::Peer&) {
  return false;
}

}  // namespace tern::testing
