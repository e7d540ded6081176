// Owners of OpenSSL's objects. Only for this room's sources.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

namespace tern::tls {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};

using OwnedBio = std::unique_ptr<BIO, Deleter<BIO_free>>;
using OwnedCertificate = std::unique_ptr<X509, Deleter<X509_free>>;
using OwnedKey = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using OwnedStore = std::unique_ptr<X509_STORE, Deleter<X509_STORE_free>>;
using OwnedContext = std::unique_ptr<SSL_CTX, Deleter<SSL_CTX_free>>;
using OwnedCipher = std::unique_ptr<EVP_CIPHER, Deleter<EVP_CIPHER_free>>;
using OwnedOcsp = std::unique_ptr<OCSP_RESPONSE, Deleter<OCSP_RESPONSE_free>>;
using OwnedBasicOcsp = std::unique_ptr<OCSP_BASICRESP, Deleter<OCSP_BASICRESP_free>>;

}  // namespace tern::tls
