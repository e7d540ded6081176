// Reads the identity of a client from its certificate.
#pragma once

#include "tls/openssl.hpp"
#include "tls/session.hpp"

namespace tern::tls {

// Throws std::bad_alloc.
ClientCertificate read_certificate(const X509& certificate);

}  // namespace tern::tls
