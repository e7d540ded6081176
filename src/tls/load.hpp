// Loads certificates, keys and OCSP responses from files. Every error names the file and the fault.
#pragma once

#include "tls/openssl.hpp"

#include <ctime>
#include <expected>
#include <string>
#include <vector>

namespace tern::tls {

template <class T>
using Loaded = std::expected<T, std::string>;

// The content of a file of at most 1 MiB.
Loaded<std::string> load_file(const std::string& path);

// The certificates of a PEM file, at least one.
Loaded<std::vector<OwnedCertificate>> load_certificates(const std::string& path);

// The private key of a PEM file, unencrypted.
Loaded<OwnedKey> load_key(const std::string& path);

// A response to staple, and its expiry.
struct OcspAnswer {
  std::string bytes;
  std::time_t until = 0;  // 0: no expiry
};
Loaded<OcspAnswer> load_ocsp(const std::string& path);

// Why `certificate`, read from `path`, is not valid now; empty if it is.
std::string validity_error(const X509& certificate, const std::string& path);

// OpenSSL's text for the last error on this thread; clears it.
std::string openssl_reason();

}  // namespace tern::tls
