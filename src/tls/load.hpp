// Certificates, keys and OCSP responses out of files. Every error names the file and says what is wrong with it.
#pragma once

#include "tls/openssl.hpp"

#include <ctime>
#include <expected>
#include <string>
#include <vector>

namespace tern::tls {

template <class T>
using Loaded = std::expected<T, std::string>;

// All of a file, of which 1 MiB is the most.
Loaded<std::string> load_file(const std::string& path);

// The certificates of a PEM file, at least one.
Loaded<std::vector<OwnedCertificate>> load_certificates(const std::string& path);

// The private key of a PEM file, unencrypted.
Loaded<OwnedKey> load_key(const std::string& path);

// What is stapled: the bytes, and until when they may be.
struct OcspAnswer {
  std::string bytes;
  std::time_t until = 0;  // 0: it does not say
};
Loaded<OcspAnswer> load_ocsp(const std::string& path);

// Why `certificate`, which was read from `path`, is of no use now; empty when it is.
std::string unusable_now(const X509& certificate, const std::string& path);

// What OpenSSL says of the last failure on this thread; forgets it.
std::string openssl_reason();

}  // namespace tern::tls
