// make_certificate() of a build without TLS.
#include "command/certificate.hpp"

#include <stdexcept>

namespace tern::command {

MadeCertificate make_certificate(const CertificateArguments&) {
  throw std::runtime_error("this build of tern has no TLS (TERN_TLS)");
}

}  // namespace tern::command
