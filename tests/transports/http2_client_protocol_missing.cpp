// Without HTTP/2 nothing is tested over it.
#include "transports/client_protocol.hpp"

namespace tern::testing {

std::unique_ptr<ClientProtocol> http2_client_protocol(std::string) {
  return nullptr;
}

bool has_http2_client_protocol() {
  return false;
}

}  // namespace tern::testing
