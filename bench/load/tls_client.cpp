#include "tls_client.hpp"

#include "client.hpp"

namespace bench {
namespace {

int keep(SSL* tls, SSL_SESSION* session) {
  static_cast<OwnedSession*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(tls)))->reset(session);
  return 1;  // it is ours now
}

}  // namespace

OwnedContext client_context(OwnedSession& session, std::size_t read_ahead) {
  OwnedContext made(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* const context = made.get();
  const bool is_ready = SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
                        SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") == 1 &&
                        SSL_CTX_set1_groups_list(context, "X25519") == 1;
  if (!is_ready) fail("OpenSSL cannot be set up");
  SSL_CTX_set_default_read_buffer_len(context, read_ahead);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_set_app_data(context, &session);
  SSL_CTX_sess_set_new_cb(context, &keep);
  return made;
}

OwnedTls client_tls(SSL_CTX& context, int socket, SSL_SESSION* session) {
  OwnedTls made(SSL_new(&context));
  SSL* const tls = made.get();
  if (tls == nullptr || SSL_set_fd(tls, socket) != 1) fail("OpenSSL cannot begin");
  SSL_set_connect_state(tls);
  if (session != nullptr) {
    // By a copy: OpenSSL uses a session of TLS 1.3 once, and not all servers issue a ticket on resumption.
    const OwnedSession copy(SSL_SESSION_dup(session));
    SSL_set_session(tls, copy.get());
  }
  return made;
}

}  // namespace bench
