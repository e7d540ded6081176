// run_tls() of a build without TLS.
#include "load/run_engine.hpp"

#include <stdexcept>

namespace tern::load {

LoadReport run_tls(const LoadOptions&, const Target&, const Address&) {
  throw std::runtime_error("this build has no TLS");
}

}  // namespace tern::load
