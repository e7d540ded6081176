// For tests: makes certificates and keys in a temporary directory.
#pragma once

#include "tls/openssl.hpp"

#include <openssl/pem.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tern::tls {

class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern = "/tmp/tern-tls-XXXXXX";  // not $TMPDIR, which some tests redirect
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = pattern;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }

  std::string path(std::string_view name) const { return path_ / name; }
  // Replaces the file atomically.
  std::string write(std::string_view name, std::string_view bytes) const {
    const std::string target = path(name);
    std::ofstream(target + ".new", std::ios::binary) << bytes;
    std::filesystem::rename(target + ".new", target);
    return target;
  }

private:
  std::filesystem::path path_;
};

inline void check(bool good) {
  if (!good) throw std::runtime_error("OpenSSL does not make what the test needs");
}

inline std::string pem_of(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

struct Issued {
  OwnedCertificate certificate;
  OwnedKey key;

  std::string certificate_pem() const {
    const OwnedBio bio(BIO_new(BIO_s_mem()));
    check(PEM_write_bio_X509(bio.get(), certificate.get()) == 1);
    return pem_of(bio.get());
  }
  std::string key_pem(const char* passphrase = nullptr) const {
    const OwnedBio bio(BIO_new(BIO_s_mem()));
    check(PEM_write_bio_PKCS8PrivateKey(bio.get(), key.get(), passphrase != nullptr ? EVP_aes_128_cbc() : nullptr,
                                        nullptr, 0, nullptr, const_cast<char*>(passphrase)) == 1);
    return pem_of(bio.get());
  }
};

struct Request {
  std::string common_name = "localhost";
  std::vector<std::string> hosts = {};  // DNS names; or "IP:192.0.2.1"
  long from = -3600;                    // seconds from now
  long until = 30L * 24 * 3600;
  bool authority = false;
};

// Signed by `issuer`, or self-signed.
inline Issued issue(const Request& wanted, const Issued* issuer = nullptr) {
  static long serial = 1;
  Issued issued{OwnedCertificate(X509_new()), OwnedKey(EVP_EC_gen("P-256"))};
  X509* certificate = issued.certificate.get();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), wanted.from);
  X509_gmtime_adj(X509_getm_notAfter(certificate), wanted.until);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "O", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>("Tern"), -1, -1, 0);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(wanted.common_name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate, issuer != nullptr ? X509_get_subject_name(issuer->certificate.get()) : name);
  X509_set_pubkey(certificate, issued.key.get());
  const auto extend = [certificate](int what, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
    check(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
    X509_EXTENSION_free(extension);
  };
  extend(NID_basic_constraints, wanted.authority ? "critical,CA:TRUE" : "CA:FALSE");
  std::string names;
  for (const std::string& host : wanted.hosts) {
    if (!names.empty()) names += ',';
    names += (host.starts_with("IP:") ? "" : "DNS:") + host;
  }
  if (!names.empty()) extend(NID_subject_alt_name, names);
  check(X509_sign(certificate, issuer != nullptr ? issuer->key.get() : issued.key.get(), EVP_sha256()) != 0);
  return issued;
}

// An OCSP response of `issuer`: `certificate` is good for `until` seconds.
inline std::string ocsp_of(const Issued& certificate, const Issued& issuer, long until = 3600) {
  const OwnedBasicOcsp basic(OCSP_BASICRESP_new());
  OCSP_CERTID* id = OCSP_cert_to_id(EVP_sha1(), certificate.certificate.get(), issuer.certificate.get());
  ASN1_TIME* from = X509_gmtime_adj(nullptr, -7200);
  ASN1_TIME* next = X509_gmtime_adj(nullptr, until);
  check(OCSP_basic_add1_status(basic.get(), id, V_OCSP_CERTSTATUS_GOOD, 0, nullptr, from, next) != nullptr);
  ASN1_TIME_free(from);
  ASN1_TIME_free(next);
  OCSP_CERTID_free(id);
  check(OCSP_basic_sign(basic.get(), issuer.certificate.get(), issuer.key.get(), EVP_sha256(), nullptr, 0) == 1);
  const OwnedOcsp response(OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic.get()));
  unsigned char* bytes = nullptr;
  const int size = i2d_OCSP_RESPONSE(response.get(), &bytes);
  check(size > 0);
  std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return der;
}

}  // namespace tern::tls
