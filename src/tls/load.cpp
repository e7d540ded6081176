#include "tls/load.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace tern::tls {
namespace {

constexpr std::size_t max_file_bytes = 1024 * 1024;

OwnedBio reader_of(std::string_view bytes) {
  return OwnedBio(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

// Rejects encrypted keys; by default, OpenSSL would ask for the passphrase on the terminal.
int decline_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

std::string to_text(const ASN1_TIME& time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(&time, &parts) != 1) return "an unknown time";
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text, size};
}

}  // namespace

std::string openssl_reason() {
  const unsigned long error = ERR_peek_last_error();
  const char* reason = ERR_reason_error_string(error);
  std::string text = reason != nullptr ? reason : "an error without a name";
  ERR_clear_error();
  return text;
}

Loaded<std::string> load_file(const std::string& path) {
  const auto fail = [&path](int error) {
    return std::unexpected("cannot read " + path + ": " + std::generic_category().message(error));
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail(errno);
  std::string text;
  int error = 0;
  while (text.size() <= max_file_bytes) {
    char piece[16 * 1024];
    const ssize_t count = ::read(descriptor, piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) error = errno;
    if (count <= 0) break;
    text.append(piece, static_cast<std::size_t>(count));
  }
  ::close(descriptor);
  if (error != 0) return fail(error);
  if (text.size() > max_file_bytes) return std::unexpected(path + " is larger than 1 MiB");
  return text;
}

Loaded<std::vector<OwnedCertificate>> load_certificates(const std::string& path) {
  const auto text = load_file(path);
  if (!text) return std::unexpected(text.error());
  ERR_clear_error();
  const OwnedBio reader = reader_of(*text);
  std::vector<OwnedCertificate> found;
  while (X509* one = PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)) found.emplace_back(one);
  const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = openssl_reason();
  if (!ended) return std::unexpected(path + ": certificate " + std::to_string(found.size() + 1) + ": " + reason);
  if (found.empty()) return std::unexpected(path + " holds no certificate in PEM form");
  return found;
}

Loaded<OwnedKey> load_key(const std::string& path) {
  auto text = load_file(path);
  if (!text) return std::unexpected(text.error());
  ERR_clear_error();
  bool asked = false;
  OwnedKey key(PEM_read_bio_PrivateKey(reader_of(*text).get(), nullptr, &decline_passphrase, &asked));
  OPENSSL_cleanse(text->data(), text->size());
  const std::string reason = openssl_reason();
  if (key) return key;
  if (asked) return std::unexpected(path + " is encrypted; remove the passphrase, a server cannot ask for it");
  return std::unexpected(path + " holds no private key in PEM form (" + reason + ")");
}

Loaded<OcspAnswer> load_ocsp(const std::string& path) {
  auto bytes = load_file(path);
  if (!bytes) return std::unexpected(bytes.error());
  ERR_clear_error();
  const auto* at = reinterpret_cast<const unsigned char*>(bytes->data());
  const OwnedOcsp response(d2i_OCSP_RESPONSE(nullptr, &at, static_cast<long>(bytes->size())));
  ERR_clear_error();
  if (!response) return std::unexpected(path + " is no OCSP response in DER form");
  if (OCSP_response_status(response.get()) != OCSP_RESPONSE_STATUS_SUCCESSFUL) {
    return std::unexpected(path + " is an OCSP response that reports a failure");
  }
  const OwnedBasicOcsp basic(OCSP_response_get1_basic(response.get()));
  if (!basic || OCSP_resp_count(basic.get()) < 1) return std::unexpected(path + " is an OCSP response without content");
  OcspAnswer answer{.bytes = std::move(*bytes)};
  ASN1_GENERALIZEDTIME* next = nullptr;
  OCSP_single_get0_status(OCSP_resp_get0(basic.get(), 0), nullptr, nullptr, nullptr, &next);
  std::tm parts{};
  if (next != nullptr && ASN1_TIME_to_tm(next, &parts) == 1) answer.until = ::timegm(&parts);
  return answer;
}

std::string validity_error(const X509& certificate, const std::string& path) {
  const ASN1_TIME* end = X509_get0_notAfter(&certificate);
  if (X509_cmp_current_time(end) <= 0) return "the certificate in " + path + " expired on " + to_text(*end);
  const ASN1_TIME* begin = X509_get0_notBefore(&certificate);
  if (X509_cmp_current_time(begin) > 0) return "the certificate in " + path + " is valid only from " + to_text(*begin);
  return {};
}

}  // namespace tern::tls
