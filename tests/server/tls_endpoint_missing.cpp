// Without TLS nothing is tested over it.
#include "server/tls_endpoint.hpp"

namespace tern::testing {

struct TlsEndpoint::Parts {};

bool tls_under_test() {
  return false;
}
bool has_tls() {
  return false;
}
tls::Config test_certificate() {
  return {};
}
TlsEndpoint::TlsEndpoint(std::string_view) {}
TlsEndpoint::~TlsEndpoint() = default;
TlsEndpoint::TlsEndpoint(TlsEndpoint&&) noexcept = default;
TlsEndpoint& TlsEndpoint::operator=(TlsEndpoint&&) noexcept = default;
bool TlsEndpoint::shake_hands(net::Peer&) {
  return false;
}
bool TlsEndpoint::send(net::Peer&, std::string_view) {
  return false;
}
bool TlsEndpoint::has_received() const {
  return false;
}
std::string TlsEndpoint::receive_some(net::Peer&, std::size_t) {
  return {};
}
bool TlsEndpoint::ended() const {
  return false;
}
std::string TlsEndpoint::encrypt(std::string_view) {
  return {};
}
std::string TlsEndpoint::open(std::string_view) {
  return {};
}
bool TlsEndpoint::close(net::Peer&) {
  return false;
}

}  // namespace tern::testing
