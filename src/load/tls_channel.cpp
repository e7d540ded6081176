#include "load/tls_channel.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::load {
namespace {

constexpr std::string_view http2_name = "h2";

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

}  // namespace

OwnedContext tls_context(bool verify, bool http2) {
  OwnedContext context(SSL_CTX_new(TLS_client_method()));
  const std::string_view name = http2 ? http2_name : "http/1.1";
  std::vector<unsigned char> protocols = {static_cast<unsigned char>(name.size())};
  protocols.insert(protocols.end(), name.begin(), name.end());
  const bool is_ready =
      context && SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) == 1 &&
      SSL_CTX_set_alpn_protos(context.get(), protocols.data(), static_cast<unsigned>(protocols.size())) == 0 &&
      (!verify || SSL_CTX_set_default_verify_paths(context.get()) == 1);
  if (!is_ready) throw std::runtime_error("OpenSSL cannot be set up");
  SSL_CTX_set_verify(context.get(), verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

TlsChannel::TlsChannel(SSL_CTX& context, PlainChannel socket, const std::string& host, bool http2)
    : socket_(std::move(socket)), tls_(SSL_new(&context)), awaits_http2_(http2) {
  SSL* const tls = tls_.get();
  if (tls == nullptr || SSL_set_fd(tls, socket_.descriptor()) != 1) throw std::runtime_error("OpenSSL cannot begin");
  SSL_set_connect_state(tls);
  if (is_address(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host.c_str());
  } else {
    SSL_set_tlsext_host_name(tls, host.c_str());
    SSL_set1_host(tls, host.c_str());
  }
}

Moved TlsChannel::send(std::string_view bytes) noexcept {
  ERR_clear_error();
  errno = 0;
  return moved(SSL_write(tls_.get(), bytes.data(), static_cast<int>(std::min<std::size_t>(bytes.size(), INT_MAX))));
}

Moved TlsChannel::receive(std::span<char> buffer) noexcept {
  ERR_clear_error();
  errno = 0;
  return moved(SSL_read(tls_.get(), buffer.data(), static_cast<int>(std::min<std::size_t>(buffer.size(), INT_MAX))));
}

bool TlsChannel::has_http2() const noexcept {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(tls_.get(), &name, &size);
  return std::string_view(reinterpret_cast<const char*>(name), size) == http2_name;
}

Moved TlsChannel::moved(int result) noexcept {
  if (result > 0) {
    if (std::exchange(awaits_http2_, false) && !has_http2()) {
      failure_ = "the server does not choose HTTP/2 (ALPN)";
      return {0, Waits::Broken};
    }
    return {static_cast<std::size_t>(result), Waits::None};
  }
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ: return {0, Waits::ToRead};
    case SSL_ERROR_WANT_WRITE: return {0, Waits::ToWrite};
    case SSL_ERROR_ZERO_RETURN: return {0, Waits::Closed};
    default: break;
  }
  const unsigned long code = ERR_peek_last_error();
  if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) return {0, Waits::Closed};
  if (const long fault = SSL_get_verify_result(tls_.get()); fault != X509_V_OK) {
    failure_ = std::string("the certificate is not accepted: ") + X509_verify_cert_error_string(fault);
  } else if (const char* reason = ERR_reason_error_string(code); reason != nullptr) {
    failure_ = std::string("TLS: ") + reason;
  }
  return {0, Waits::Broken};
}

std::string TlsChannel::failure() const {
  return failure_.empty() ? socket_.failure() : failure_;
}

}  // namespace tern::load
