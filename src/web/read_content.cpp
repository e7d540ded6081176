#include "web/read_content.hpp"

#include <algorithm>

namespace tern::web {

Task<std::expected<void, StreamError>> read_content(Request& request, std::size_t max_bytes) {
  Exchange& exchange = request.exchange();
  Limits limits = exchange.limits();  // of a route that streams, there is none
  limits.max_body_bytes = std::min(limits.max_body_bytes, max_bytes);
  exchange.limit(limits);
  return read_body(exchange);
}

}  // namespace tern::web
