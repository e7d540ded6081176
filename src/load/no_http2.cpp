// make_http2_connection() of a build without HTTP/2.
#include "load/http2_connection.hpp"

#include <stdexcept>

namespace tern::load {

std::unique_ptr<Http2Connection> make_http2_connection(const Http2Request&, StatusClasses&) {
  throw std::runtime_error("this build has no HTTP/2");
}

}  // namespace tern::load
