// The nonce of a request's Content-Security-Policy, which SecurityHeaders makes and a page uses.
#pragma once

#include "base/base64.hpp"
#include "base/random.hpp"

#include <tern/http/request.hpp>

#include <string>
#include <string_view>

namespace tern::web {

struct CspNonce {
  std::string_view use() const noexcept {
    used = true;
    return text;
  }

  std::string text = base::to_base64(base::random_bytes(16));
  mutable bool used = false;
};

// Whether the nonce is in the response, which must not be sent again then.
inline bool has_used_nonce(const Request& request) {
  const CspNonce* const nonce = request.find<CspNonce>();
  return nonce != nullptr && nonce->used;
}

}  // namespace tern::web
