// Without HTTP/2 nothing is tested over it.
#include "transports/speech.hpp"

namespace tern::testing {

std::unique_ptr<Speech> http2_speech(std::string) {
  return nullptr;
}

bool has_http2_speech() {
  return false;
}

}  // namespace tern::testing
