#include "tls/session.hpp"

#include "tls/client_certificate.hpp"
#include "tls/context_parts.hpp"
#include "tls/wire.hpp"

#include <tern/base/expects.hpp>

#include <openssl/err.h>

#include <new>
#include <utility>

namespace tern::tls {
namespace {

// So that errors found later are new. Clearing an empty queue takes far longer than checking it.
void clear_errors() noexcept {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

}  // namespace

Session::Session(std::shared_ptr<const Context> context)
    : context_(std::move(context)), wire_(std::make_unique<Wire>()) {
  const ContextParts& parts = context_->parts();
  ssl_ = SSL_new(parts.hosts.front().context.get());
  if (ssl_ == nullptr) throw std::bad_alloc();
  try {
    BIO* bio = make_bio(*parts.wire, *wire_);
    SSL_set_bio(ssl_, bio, bio);
  } catch (...) {
    SSL_free(ssl_);
    throw;
  }
  SSL_set_accept_state(ssl_);
}

Session::~Session() {
  SSL_free(ssl_);
}

std::size_t Session::receive(std::string_view ciphertext, std::span<char> plain, std::string& out) {
  base::expects(ciphertext.size() <= max_received && plain.size() >= room, "what is received has room");
  if (failed_ || ended_) return 0;
  wire_->in = ciphertext;
  wire_->out = &out;
  std::size_t filled = 0;
  while (filled < plain.size()) {
    clear_errors();
    std::size_t count = 0;
    const bool read = SSL_read_ex(ssl_, plain.data() + filled, plain.size() - filled, &count) == 1;
    if (!read) {
      switch (SSL_get_error(ssl_, 0)) {
        case SSL_ERROR_WANT_READ: break;
        case SSL_ERROR_ZERO_RETURN: ended_ = true; break;
        default: fail();
      }
      break;
    }
    filled += count;
    if (wire_->in.empty() && SSL_has_pending(ssl_) == 0) break;  // another call would find nothing
  }
  base::expects(failed_ || ended_ || (wire_->in.empty() && SSL_pending(ssl_) == 0),
                "all that is received is decrypted");
  open_ = open_ || SSL_is_init_finished(ssl_) == 1;
  wire_->in = {};  // also bytes after a close_notify
  wire_->out = nullptr;
  return filled;
}

bool Session::send(std::string_view plain, std::string& out) {
  base::expects(open_, "a session is open before anything is sent");
  if (failed_ || closed_ || plain.empty()) return !failed_;
  wire_->out = &out;
  clear_errors();
  std::size_t written = 0;
  if (SSL_write_ex(ssl_, plain.data(), plain.size(), &written) != 1) fail();
  wire_->out = nullptr;
  return !failed_;
}

void Session::close(std::string& out) {
  if (!is_open() || std::exchange(closed_, true)) return;
  wire_->out = &out;
  ERR_clear_error();
  if (SSL_shutdown(ssl_) < 0) fail();
  wire_->out = nullptr;
}

void Session::fail() {
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  if (reason != nullptr) error_ = reason;
  failed_ = true;
  ERR_clear_error();
}

std::string_view Session::protocol() const {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

std::string_view Session::version() const {
  return SSL_get_version(ssl_);
}

std::string_view Session::cipher() const {
  return SSL_get_cipher_name(ssl_);
}

std::string_view Session::server_name() const {
  const char* name = SSL_get_servername(ssl_, TLSEXT_NAMETYPE_host_name);
  return name != nullptr ? std::string_view(name) : std::string_view();
}

bool Session::resumed() const {
  return SSL_session_reused(ssl_) == 1;
}

std::optional<ClientCertificate> Session::client_certificate() const {
  const X509* certificate = SSL_get0_peer_certificate(ssl_);
  if (certificate == nullptr || SSL_get_verify_result(ssl_) != X509_V_OK) return std::nullopt;
  return read_certificate(*certificate);
}

}  // namespace tern::tls
