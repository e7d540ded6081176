#include "tls/client_certificate.hpp"

#include <openssl/bn.h>
#include <openssl/sha.h>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

namespace tern::tls {
namespace {

std::string subject_of(const X509& certificate) {
  const OwnedBio text(BIO_new(BIO_s_mem()));
  if (!text) throw std::bad_alloc();
  if (X509_NAME_print_ex(text.get(), X509_get_subject_name(&certificate), 0, XN_FLAG_RFC2253) < 0) return {};
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string serial_of(const X509& certificate) {
  const std::unique_ptr<BIGNUM, Deleter<BN_free>> number(
      ASN1_INTEGER_to_BN(X509_get0_serialNumber(&certificate), nullptr));
  char* text = number ? BN_bn2hex(number.get()) : nullptr;
  if (text == nullptr) throw std::bad_alloc();
  std::string serial(text);
  OPENSSL_free(text);
  return serial;
}

std::string fingerprint_of(const X509& certificate) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  unsigned size = 0;
  if (X509_digest(&certificate, EVP_sha256(), digest.data(), &size) != 1) throw std::bad_alloc();
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += digits[byte >> 4U];
    text += digits[byte & 0xFU];
  }
  return text;
}

std::string address_of(const ASN1_OCTET_STRING* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int size = ASN1_STRING_length(address);
  if (size != 4 && size != 16) return {};
  inet_ntop(size == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(address), text.data(), text.size());
  return text.data();
}

// Empty for other kinds, and for text with bytes outside of visible ASCII, such as NUL, which are invalid here.
std::string name_of(const GENERAL_NAME& name) {
  std::string_view kind;
  switch (name.type) {
    case GEN_DNS: kind = "DNS:"; break;
    case GEN_EMAIL: kind = "email:"; break;
    case GEN_URI: kind = "URI:"; break;
    case GEN_IPADD: {
      const std::string address = address_of(name.d.iPAddress);
      return address.empty() ? address : "IP:" + address;
    }
    default: return {};
  }
  const ASN1_IA5STRING* text = name.d.ia5;
  const std::string_view value(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                               static_cast<std::size_t>(ASN1_STRING_length(text)));
  if (!std::ranges::all_of(value, [](char c) { return c > 0x20 && c < 0x7F; })) return {};
  return std::string(kind).append(value);
}

std::vector<std::string> names_of(const X509& certificate) {
  const std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>> all(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(const_cast<X509*>(&certificate), NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> names;
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    std::string name = name_of(*sk_GENERAL_NAME_value(all.get(), i));
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

ClientCertificate read_certificate(const X509& certificate) {
  return {subject_of(certificate), names_of(certificate), serial_of(certificate), fingerprint_of(certificate)};
}

}  // namespace tern::tls
