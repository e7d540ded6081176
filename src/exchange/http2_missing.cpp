// A library without HTTP/2.
#include "exchange/http2.hpp"

#include <tern/base/expects.hpp>

namespace tern::exchange {

bool has_http2() noexcept {
  return false;
}

bool is_http2_preface(std::string_view) noexcept {
  return false;
}

std::unique_ptr<Protocol> make_http2(Connection&) {
  base::expects(false, "this library was built without HTTP/2 (TERN_HTTP2)");
  return nullptr;
}

}  // namespace tern::exchange
