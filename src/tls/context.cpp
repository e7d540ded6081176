#include "tls/context.hpp"

#include "tls/context_parts.hpp"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/rand.h>

#include <algorithm>
#include <ctime>
#include <new>
#include <span>
#include <string_view>
#include <utility>

namespace tern::tls {
namespace {

// Only forward secrecy and authenticated encryption (RFC 9325, section 4.2). TLS 1.3 has nothing else.
constexpr const char* ciphers_of_1_2 = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr const char* groups = "X25519:P-256:P-384";
constexpr long session_seconds = 2 * 3600;  // see TicketKeys::count

// --- Called by OpenSSL in a handshake ---

// Never rejects an unknown name: the client sees from the certificate that the server does not have it.
int select_certificate(SSL* ssl, int*, void* context) {
  const auto& parts = *static_cast<const ContextParts*>(context);
  const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  const std::size_t index = name != nullptr ? parts.names.find(name) : 0;
  if (index != 0 && SSL_set_SSL_CTX(ssl, parts.hosts[index].context.get()) == nullptr)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  return SSL_TLSEXT_ERR_OK;
}

// Selects by the server's preference; no common protocol is an alert (RFC 7301, section 3.2).
int select_protocol(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned int offered_size, void* context) {
  const std::string& ours = static_cast<const ContextParts*>(context)->protocols;
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char*>(ours.data()),
                            static_cast<unsigned int>(ours.size()), offered, offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

int staple(SSL* ssl, void* answer) {
  const auto& ocsp = *static_cast<const OcspAnswer*>(answer);
  if (ocsp.until != 0 && ocsp.until <= std::time(nullptr)) return SSL_TLSEXT_ERR_NOACK;
  void* copy = OPENSSL_memdup(ocsp.bytes.data(), ocsp.bytes.size());
  if (copy == nullptr) return SSL_TLSEXT_ERR_NOACK;
  SSL_set_tlsext_status_ocsp_resp(ssl, copy, static_cast<long>(ocsp.bytes.size()));  // takes ownership
  return SSL_TLSEXT_ERR_OK;
}

bool use_ticket_key(TicketKey key, const EVP_CIPHER* with, const unsigned char* iv, EVP_CIPHER_CTX* cipher,
                    EVP_MAC_CTX* mac, bool encrypting) {
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key.mac.data(), key.mac.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
  const bool used = EVP_MAC_CTX_set_params(mac, parameters) == 1 &&
                    EVP_CipherInit_ex(cipher, with, nullptr, key.cipher.data(), iv, encrypting ? 1 : 0) == 1;
  OPENSSL_cleanse(&key, sizeof key);
  return used;
}

// Returns 1: use the ticket; 0: no ticket; -1: failure. A ticket is never renewed (2): OpenSSL would extend its
// lifetime, and with it that of a client certificate that has expired in the meantime.
int ticket_key_callback(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac,
                        int encrypting) {
  const auto& parts = *static_cast<const ContextParts*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  if (encrypting != 0) {
    const TicketKey key = parts.tickets->current();
    if (RAND_bytes(iv, EVP_CIPHER_get_iv_length(parts.ticket_cipher.get())) != 1) return -1;
    std::copy(key.name.begin(), key.name.end(), name);
    return use_ticket_key(key, parts.ticket_cipher.get(), iv, cipher, mac, true) ? 1 : -1;
  }
  const auto found = parts.tickets->find(name);
  if (!found) return 0;
  if (!use_ticket_key(*found, parts.ticket_cipher.get(), iv, cipher, mac, false)) return -1;
  return 1;
}

// --- Making ---

using Outcome = std::expected<void, std::string>;

std::unexpected<std::string> failed(const std::string& what) {
  return std::unexpected(what + ": " + openssl_reason());
}

Outcome use_certificate(SSL_CTX& context, const TlsCertificate& pair, CertificateNames& names, std::size_t index) {
  auto chain = load_certificates(pair.certificate);
  if (!chain) return std::unexpected(chain.error());
  const auto key = load_key(pair.key.empty() ? pair.certificate : pair.key);
  if (!key) return std::unexpected(key.error());
  X509& own = *chain->front();
  if (X509_check_private_key(&own, key->get()) != 1) {
    ERR_clear_error();
    return std::unexpected("the key in " + (pair.key.empty() ? pair.certificate : pair.key) +
                           " does not belong to the certificate in " + pair.certificate);
  }
  if (std::string error = validity_error(own, pair.certificate); !error.empty())
    return std::unexpected(std::move(error));
  if (SSL_CTX_use_certificate(&context, &own) != 1 || SSL_CTX_use_PrivateKey(&context, key->get()) != 1) {
    return failed(pair.certificate + " cannot be used");
  }
  for (const OwnedCertificate& other : std::span(*chain).subspan(1)) {
    if (SSL_CTX_add1_chain_cert(&context, other.get()) != 1) return failed(pair.certificate + " cannot be used");
  }
  names.add(own, index);
  return {};
}

// Verification of client certificates. Tickets are bound to its settings: a ticket from before a change, or from a less
// strict listener, is not accepted.
class ClientVerification {
public:
  static std::expected<ClientVerification, std::string> load(const Config& config) {
    ClientVerification verification;
    std::string trusted(1, static_cast<char>(config.client));
    if (config.client != ClientCertificates::None) {
      auto loaded = load_certificates(config.client_ca);
      if (!loaded) return std::unexpected(loaded.error());
      verification.authorities_ = std::move(*loaded);
      verification.store_.reset(X509_STORE_new());
      if (!verification.store_) throw std::bad_alloc();
      for (const auto& one : verification.authorities_) {
        if (X509_STORE_add_cert(verification.store_.get(), one.get()) != 1) return failed(config.client_ca);
        unsigned char digest[EVP_MAX_MD_SIZE];
        unsigned size = 0;
        if (X509_digest(one.get(), EVP_sha256(), digest, &size) != 1) return failed(config.client_ca);
        trusted.append(reinterpret_cast<const char*>(digest), size);
      }
    }
    verification.mode_ = config.client;
    if (EVP_Digest(trusted.data(), trusted.size(), verification.id_, nullptr, EVP_sha256(), nullptr) != 1) {
      return failed("SHA-256");
    }
    return verification;
  }

  Outcome use(SSL_CTX& context) const {
    if (SSL_CTX_set_session_id_context(&context, id_, sizeof id_) != 1) return failed("sessions");
    if (mode_ == ClientCertificates::None) return {};
    SSL_CTX_set1_cert_store(&context, store_.get());
    for (const auto& one : authorities_) {
      if (SSL_CTX_add_client_CA(&context, one.get()) != 1) return failed("client certificates");
    }
    SSL_CTX_set_verify(&context,
                       SSL_VERIFY_PEER | (mode_ == ClientCertificates::Required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                       nullptr);
    return {};
  }

private:
  ClientCertificates mode_ = ClientCertificates::None;
  std::vector<OwnedCertificate> authorities_;
  OwnedStore store_;
  unsigned char id_[32];
};

Outcome configure(SSL_CTX& context, ContextParts& parts) {
  if (SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_cipher_list(&context, ciphers_of_1_2) != 1 || SSL_CTX_set1_groups_list(&context, groups) != 1) {
    return failed("OpenSSL cannot be set up");
  }
  // A client without AES in hardware prefers ChaCha20, and gets it; otherwise the server's order applies.
  SSL_CTX_set_options(&context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                    SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_mode(&context, SSL_MODE_RELEASE_BUFFERS);  // an idle connection has no buffers
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(&context, session_seconds);
  SSL_CTX_set_app_data(&context, &parts);
  SSL_CTX_set_tlsext_ticket_key_evp_cb(&context, &ticket_key_callback);
  SSL_CTX_set_tlsext_servername_callback(&context, &select_certificate);
  SSL_CTX_set_tlsext_servername_arg(&context, &parts);
  if (!parts.protocols.empty()) SSL_CTX_set_alpn_select_cb(&context, &select_protocol, &parts);
  return {};
}

Outcome add_host(ContextParts& parts, const TlsCertificate& pair, const ClientVerification& verification) {
  ContextParts::Host& host = parts.hosts.emplace_back();
  host.context.reset(SSL_CTX_new(TLS_server_method()));
  if (!host.context) throw std::bad_alloc();
  SSL_CTX& context = *host.context;
  if (auto done = configure(context, parts); !done) return done;
  if (auto done = use_certificate(context, pair, parts.names, parts.hosts.size() - 1); !done) return done;
  if (auto done = verification.use(context); !done) return done;
  if (pair.ocsp.empty()) return {};
  auto ocsp = load_ocsp(pair.ocsp);
  if (!ocsp) return std::unexpected(ocsp.error());
  host.ocsp = std::move(*ocsp);
  SSL_CTX_set_tlsext_status_cb(&context, &staple);
  SSL_CTX_set_tlsext_status_arg(&context, &host.ocsp);
  return {};
}

std::string encode(const std::vector<std::string>& protocols) {
  std::string list;
  for (const std::string& one : protocols) list += static_cast<char>(one.size()) + one;
  return list;
}

}  // namespace

Context::Context(std::unique_ptr<const ContextParts> parts) : parts_(std::move(parts)) {}
Context::~Context() = default;

std::expected<std::shared_ptr<const Context>, std::string> Context::make(const Config& config,
                                                                         std::shared_ptr<TicketKeys> tickets) {
  if (config.certificates.empty()) return std::unexpected("TLS needs a certificate");
  auto parts = std::make_unique<ContextParts>();
  parts->protocols = encode(config.protocols);
  parts->tickets = std::move(tickets);
  parts->wire = make_wire_method();
  parts->ticket_cipher.reset(EVP_CIPHER_fetch(nullptr, "AES-256-CBC", nullptr));
  if (!parts->ticket_cipher) return failed("AES-256-CBC");
  const auto verification = ClientVerification::load(config);
  if (!verification) return std::unexpected(verification.error());
  parts->hosts.reserve(config.certificates.size());  // OpenSSL keeps pointers into it
  for (const TlsCertificate& pair : config.certificates) {
    if (auto done = add_host(*parts, pair, *verification); !done) {
      return std::unexpected(std::move(done.error()));
    }
  }
  return std::make_shared<const Context>(std::move(parts));
}

std::shared_ptr<TicketKeys> Context::make_tickets() {
  return std::make_shared<TicketKeys>();
}

void Context::rotate(TicketKeys& tickets) {
  tickets.rotate();
}

}  // namespace tern::tls
