// Owners of OpenSSL's objects, and what several files need of it.
#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>

namespace tern::web {

template <auto Free>
struct OpenSslFree {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};

using OpenSslKey = std::unique_ptr<EVP_PKEY, OpenSslFree<EVP_PKEY_free>>;
using OpenSslKeyContext = std::unique_ptr<EVP_PKEY_CTX, OpenSslFree<EVP_PKEY_CTX_free>>;
using OpenSslDigest = std::unique_ptr<EVP_MD_CTX, OpenSslFree<EVP_MD_CTX_free>>;
using OpenSslCipher = std::unique_ptr<EVP_CIPHER_CTX, OpenSslFree<EVP_CIPHER_CTX_free>>;
using OpenSslBio = std::unique_ptr<BIO, OpenSslFree<BIO_free_all>>;
using OpenSslNumber = std::unique_ptr<BIGNUM, OpenSslFree<BN_free>>;
using OpenSslCertificate = std::unique_ptr<X509, OpenSslFree<X509_free>>;
using OpenSslEcdsa = std::unique_ptr<ECDSA_SIG, OpenSslFree<ECDSA_SIG_free>>;
using OpenSslParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, OpenSslFree<OSSL_PARAM_BLD_free>>;
using OpenSslParams = std::unique_ptr<OSSL_PARAM, OpenSslFree<OSSL_PARAM_free>>;

inline const unsigned char* bytes_of(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}
inline unsigned char* bytes_of(std::string& text) noexcept {
  return reinterpret_cast<unsigned char*>(text.data());
}

// Found once: with EVP_sha256() and its like, each use searches the providers under a lock. Null if there is none.
inline const EVP_MD* fetched_sha256() noexcept {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found;
}
inline const EVP_CIPHER* aes_256_gcm() noexcept {
  static const EVP_CIPHER* const found = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr);
  return found;
}

}  // namespace tern::web
