#include "redis/tls.hpp"

#include "redis/address.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

namespace tern::redis {

// A BIO over the socket of a channel. (OpenSSL's own uses write(), which may raise SIGPIPE.)
struct TlsChannel::Wire {
  static TlsChannel& of(BIO* bio) noexcept { return *static_cast<TlsChannel*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* into, std::size_t size, std::size_t* count) {
    const Moved moved = receive_plain(of(bio).descriptor_, {into, size});
    return done(bio, moved, BIO_FLAGS_READ, count);
  }
  static int write(BIO* bio, const char* from, std::size_t size, std::size_t* count) {
    const Moved moved = send_plain(of(bio).descriptor_, {from, size});
    return done(bio, moved, BIO_FLAGS_WRITE, count);
  }
  static int done(BIO* bio, const Moved& moved, int direction, std::size_t* count) noexcept {
    BIO_clear_retry_flags(bio);
    *count = moved.bytes;
    if (moved.state == Moved::State::Done) return 1;
    if (moved.state == Moved::State::Broken) of(bio).error_ = moved.error;
    // A session goes on after an error of the socket, to receive an alert that the server has sent before.
    if (moved.state != Moved::State::Ended && (moved.state != Moved::State::Broken || direction == BIO_FLAGS_WRITE)) {
      BIO_set_flags(bio, direction | BIO_FLAGS_SHOULD_RETRY);
    }
    return 0;
  }
  // There is no buffer to flush.
  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO_METHOD* make_method() {
    BIO_METHOD* const method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "tern-redis");
    if (method == nullptr) throw std::bad_alloc();
    BIO_meth_set_read_ex(method, &read);
    BIO_meth_set_write_ex(method, &write);
    BIO_meth_set_ctrl(method, &control);
    return method;
  }
};

namespace {

struct FreeContext {
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};

std::string reason_of(unsigned long code) {
  const char* const reason = ERR_reason_error_string(code);
  return reason == nullptr ? "an unknown fault" : reason;
}

[[noreturn]] void refuse_file(const std::string& who, const std::string& what) {
  const std::string why = reason_of(ERR_peek_last_error());
  ERR_clear_error();
  throw std::invalid_argument(who + ": " + what + ": " + why);
}

void load_files(SSL_CTX* context, const RedisTls& tls, const std::string& who) {
  if (tls.ca_file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1)
      refuse_file(who, "the authorities of the system cannot be loaded");
  } else if (SSL_CTX_load_verify_file(context, tls.ca_file.c_str()) != 1) {
    refuse_file(who, "ca_file " + tls.ca_file + " cannot be loaded");
  }
  if (tls.certificate_file.empty()) return;
  if (SSL_CTX_use_certificate_chain_file(context, tls.certificate_file.c_str()) != 1) {
    refuse_file(who, "certificate_file " + tls.certificate_file + " cannot be loaded");
  }
  if (SSL_CTX_use_PrivateKey_file(context, tls.key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    refuse_file(who, "key_file " + tls.key_file + " is no key of the certificate");
  }
}

}  // namespace

TlsContext::TlsContext(const RedisOptions& options, const std::string& who)
    : server_name_(options.tls.server_name.empty() ? options.host : options.tls.server_name),
      by_address_(is_address(server_name_)) {
  ERR_clear_error();
  std::unique_ptr<SSL_CTX, FreeContext> context(SSL_CTX_new(TLS_client_method()));
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) throw std::bad_alloc();
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Without it, OpenSSL would ask the terminal for the passphrase of a key.
  SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return -1; });
  load_files(context.get(), options.tls, who);
  method_ = TlsChannel::Wire::make_method();
  context_ = context.release();
}

TlsContext::~TlsContext() {
  SSL_CTX_free(context_);
  BIO_meth_free(method_);
}

TlsChannel::TlsChannel(const TlsContext& context, int descriptor) : descriptor_(descriptor) {
  ssl_ = SSL_new(context.context_);
  BIO* const bio = ssl_ == nullptr ? nullptr : BIO_new(context.method_);
  if (bio == nullptr) {
    SSL_free(ssl_);
    throw std::bad_alloc();
  }
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  SSL_set_connect_state(ssl_);
  const char* const name = context.server_name_.c_str();
  SSL_set_hostflags(ssl_, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const bool named = context.by_address_ ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), name) == 1
                                         : SSL_set_tlsext_host_name(ssl_, name) == 1 && SSL_set1_host(ssl_, name) == 1;
  if (named) return;
  SSL_free(ssl_);
  throw std::bad_alloc();
}

TlsChannel::~TlsChannel() {
  if (open_ && !broken_ && error_ == 0) {
    ERR_clear_error();
    SSL_shutdown(ssl_);
    ERR_clear_error();
  }
  SSL_free(ssl_);
}

Moved TlsChannel::handshake() noexcept {
  ERR_clear_error();
  const Moved done = moved(SSL_do_handshake(ssl_), 0);
  open_ = done.state == Moved::State::Done;
  return done;
}

Moved TlsChannel::send(std::string_view bytes) noexcept {
  ERR_clear_error();
  std::size_t sent = 0;
  const int result = SSL_write_ex(ssl_, bytes.data(), bytes.size(), &sent);
  return moved(result, sent);
}

Moved TlsChannel::receive(std::span<char> buffer) noexcept {
  ERR_clear_error();
  std::size_t received = 0;
  const int result = SSL_read_ex(ssl_, buffer.data(), buffer.size(), &received);
  return moved(result, received);
}

// (Redis ends connections without a close_notify. Replies have lengths, so that the end of one is no secret.)
Moved TlsChannel::moved(int result, std::size_t bytes) noexcept {
  if (result == 1) return {Moved::State::Done, bytes, 0};
  if (SSL_want_write(ssl_) && error_ != 0) return {Moved::State::Broken, 0, error_};
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ: return {Moved::State::ToRead, 0, 0};
    case SSL_ERROR_WANT_WRITE: return {Moved::State::ToWrite, 0, 0};
    case SSL_ERROR_ZERO_RETURN: return {Moved::State::Ended, 0, 0};
    default: break;
  }
  broken_ = true;
  reason_ = ERR_peek_error();
  ERR_clear_error();
  if (reason_ == 0 && error_ != 0) return {Moved::State::Broken, 0, error_};
  if (open_ && (reason_ == 0 || ERR_GET_REASON(reason_) == SSL_R_UNEXPECTED_EOF_WHILE_READING)) {
    return {Moved::State::Ended, 0, 0};
  }
  return {Moved::State::Broken, 0, 0};
}

std::string TlsChannel::failure() const {
  if (const long fault = SSL_get_verify_result(ssl_); fault != X509_V_OK) {
    return std::string("TLS: the certificate is not accepted: ") + X509_verify_cert_error_string(fault);
  }
  if (reason_ == 0 || ERR_GET_REASON(reason_) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    return "TLS: the server has closed the connection during the handshake";
  }
  return "TLS: " + reason_of(reason_);
}

}  // namespace tern::redis
