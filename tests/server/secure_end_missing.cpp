// Without TLS nothing is tested over it.
#include "server/secure_end.hpp"

namespace tern::testing {

struct SecureEnd::Parts {};

bool tls_under_test() {
  return false;
}
bool has_tls() {
  return false;
}
tls::Config test_certificate() {
  return {};
}
SecureEnd::SecureEnd(std::string_view) {}
SecureEnd::~SecureEnd() = default;
SecureEnd::SecureEnd(SecureEnd&&) noexcept = default;
SecureEnd& SecureEnd::operator=(SecureEnd&&) noexcept = default;
bool SecureEnd::shake_hands(net::Peer&) {
  return false;
}
bool SecureEnd::send(net::Peer&, std::string_view) {
  return false;
}
bool SecureEnd::has_received() const {
  return false;
}
std::string SecureEnd::receive_some(net::Peer&, std::size_t) {
  return {};
}
bool SecureEnd::ended() const {
  return false;
}
std::string SecureEnd::seal(std::string_view) {
  return {};
}
std::string SecureEnd::open(std::string_view) {
  return {};
}
bool SecureEnd::close(net::Peer&) {
  return false;
}

}  // namespace tern::testing
