#include "websockets/handshake_rules.hpp"

namespace tern::websockets {

websocket::HandshakeRules rules_of(const WebSocketOptions& options) {
  websocket::HandshakeRules rules;
  rules.protocols = options.protocols;
  rules.origins = options.origins;
  rules.deflate.enabled = options.compression != Compression::Off;
  rules.deflate.server_context_takeover = rules.deflate.client_context_takeover =
      options.compression == Compression::Together;
  rules.deflate.server_window_bits = rules.deflate.client_window_bits = options.window_bits;
  return rules;
}

}  // namespace tern::websockets
