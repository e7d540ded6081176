// TLS as the options of a listener state it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tern {

// PEM files: a certificate, followed by the certificates that lead to its root, and its private key, unencrypted.
struct TlsCertificate {
  std::string certificate = {};
  std::string key = {};   // empty: in the same file
  std::string ocsp = {};  // a DER file: the last response of the issuer's OCSP responder, for stapling; empty: none
};

// Whether clients have to present a certificate. One that is presented must be valid in either case.
enum class ClientCertificates : std::uint8_t { None, Optional, Required };

// TLS 1.2 and 1.3. Changes of the files are detected every second, and the files are loaded again; established
// connections keep what they have. Files that cannot be used are an error at the start; later the error is logged, and
// the previous certificates stay.
struct TlsOptions {
  std::string certificate = {};  // empty: no TLS
  std::string key = {};          // empty: in the same file
  std::string ocsp = {};
  std::vector<TlsCertificate> certificates = {};         // more, each for its names, chosen by SNI
  std::string client_ca = {};                            // a PEM file: the authorities of client certificates
  ClientCertificates client = ClientCertificates::None;  // Request::tls() has the subject
};

}  // namespace tern
