// Close codes of a WebSocket (RFC 6455, section 7.4, and the IANA registry).
#pragma once

#include <cstdint>

namespace tern::websocket {

enum CloseCode : std::uint16_t {
  Normal = 1000,
  GoingAway = 1001,
  ProtocolError = 1002,
  UnsupportedData = 1003,
  NoStatus = 1005,  // never sent: the peer's close frame had no code
  Abnormal = 1006,  // never sent: the connection ended without a close
  InvalidPayload = 1007,
  PolicyViolation = 1008,
  MessageTooBig = 1009,
  InternalError = 1011,
  TryAgainLater = 1013,
};

// Whether a close frame may have this code: the defined ones of 1000 to 2999, and 3000 to 4999 for libraries and
// applications.
constexpr bool may_be_sent(std::uint16_t code) noexcept {
  if (code >= 3000) return code < 5000;
  return code >= 1000 && code <= 1014 && code != 1004 && code != NoStatus && code != Abnormal;
}

}  // namespace tern::websocket
