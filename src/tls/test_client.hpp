// For tests: a TLS client in memory.
#pragma once

#include "tls/test_certificates.hpp"

#include <openssl/err.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tern::tls {

using OwnedSession = std::unique_ptr<SSL_SESSION, Deleter<SSL_SESSION_free>>;

struct ClientOptions {
  std::string name = {};       // SNI
  std::string protocols = {};  // in the wire format of ALPN: "\x08http/1.1"
  int version = 0;             // the only version; 0: any
  const Issued* own = nullptr;
  bool asks_for_ocsp = false;
  SSL_SESSION* resumes = nullptr;
  const char* ciphers = nullptr;  // of TLS 1.2
};

class TestClient {
public:
  explicit TestClient(const ClientOptions& options = {}) : context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX* context = context_.get();
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, [](SSL* ssl, SSL_SESSION* session) {
      auto& client = *static_cast<TestClient*>(SSL_get_app_data(ssl));
      client.session_.reset(session);
      ++client.tickets_;
      return 1;
    });
    if (options.version != 0) {
      SSL_CTX_set_min_proto_version(context, options.version);
      SSL_CTX_set_max_proto_version(context, options.version);
    }
    SSL_CTX_set_security_level(context, 0);  // so that old versions can be offered
    if (options.ciphers != nullptr) check(SSL_CTX_set_cipher_list(context, options.ciphers) == 1);
    ssl_.reset(SSL_new(context));
    SSL* ssl = ssl_.get();
    SSL_set_app_data(ssl, this);
    if (!options.name.empty()) SSL_set_tlsext_host_name(ssl, options.name.c_str());
    if (!options.protocols.empty()) {
      SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(options.protocols.data()),
                          static_cast<unsigned int>(options.protocols.size()));
    }
    if (options.own != nullptr) {
      SSL_use_certificate(ssl, options.own->certificate.get());
      SSL_use_PrivateKey(ssl, options.own->key.get());
    }
    if (options.asks_for_ocsp) SSL_set_tlsext_status_type(ssl, TLSEXT_STATUSTYPE_ocsp);
    if (options.resumes != nullptr) {
      const OwnedSession copy(SSL_SESSION_dup(options.resumes));  // a session of TLS 1.3 can be used once
      SSL_set_session(ssl, copy.get());
    }
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(ssl);
  }

  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;
  // Pretends a clean shutdown: OpenSSL invalidates the session of an aborted connection.
  ~TestClient() { SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN); }

  // Feeds the server's bytes; the reply is in output().
  void receive(std::string_view bytes) {
    if (!bytes.empty()) BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
    char piece[16 * 1024];
    std::size_t count = 0;
    while (SSL_read_ex(ssl_.get(), piece, sizeof piece, &count) == 1) received_.append(piece, count);
    const int error = SSL_get_error(ssl_.get(), 0);
    if (error == SSL_ERROR_ZERO_RETURN) ended_ = true;
    if (error == SSL_ERROR_SSL) failed_ = true;
    ERR_clear_error();
  }
  void send(std::string_view bytes) {
    std::size_t count = 0;
    check(SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count) == 1 && count == bytes.size());
  }
  void close() { SSL_shutdown(ssl_.get()); }
  std::string output() {
    std::string bytes = pem_of(SSL_get_wbio(ssl_.get()));
    (void)BIO_reset(SSL_get_wbio(ssl_.get()));
    return bytes;
  }

  bool done() const { return SSL_is_init_finished(ssl_.get()) == 1; }
  bool ended() const { return ended_; }
  bool failed() const { return failed_; }
  const std::string& received() const { return received_; }
  std::string take_received() { return std::exchange(received_, {}); }
  int tickets() const { return tickets_; }
  // The last session with a ticket; null: none.
  SSL_SESSION* session() const { return session_.get(); }
  SSL* ssl() { return ssl_.get(); }

  // The protocol negotiated by ALPN; empty: none.
  std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }
  // The common name of the server's certificate.
  std::string server() const {
    char name[128] = {};
    const X509* certificate = SSL_get0_peer_certificate(ssl_.get());
    if (certificate == nullptr) return {};
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
    return name;
  }
  std::string stapled() const {
    const unsigned char* bytes = nullptr;
    const long size = SSL_get_tlsext_status_ocsp_resp(ssl_.get(), &bytes);
    return size > 0 ? std::string(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)) : std::string();
  }

private:
  OwnedContext context_;
  std::unique_ptr<SSL, Deleter<SSL_free>> ssl_;
  OwnedSession session_;
  std::string received_;
  int tickets_ = 0;
  bool ended_ = false;
  bool failed_ = false;
};

}  // namespace tern::tls
