// The byte stream below a connection: a net::Stream, with TLS in between if the listener uses it. It has the calls of
// net::Stream; plain connections make no virtual call.
#pragma once

#include "net/stream.hpp"
#include "proxy/proxy_header.hpp"
#include "transport/listener_config.hpp"
#include "transport/secure_stream.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace tern::transport {

class Transport {
public:
  // As net::Stream::open(); over TLS if there is a context, after a PROXY header if the listener expects one. Throws
  // std::bad_alloc.
  void open(net::Loop& loop, net::Descriptor socket, TransportHandler& handler, const net::Address& remote,
            const ConnectionConfig& config, SecureBuffers& buffers) {
    net::StreamHandler* first = &handler;
    if (config.tls) {
      secure_ = std::make_unique<SecureStream>(stream_, handler, config.tls, buffers);
      first = secure_.get();
    }
    if (config.proxied) {
      proxy_ = std::make_unique<proxy::ProxyStream>(stream_, *first);
      first = proxy_.get();
    }
    stream_.open(loop, std::move(socket), *first, remote);
  }

  void send(net::Output& output) {
    if (secure_) [[unlikely]]
      return secure_->send(output);
    stream_.send(output);
  }
  // Bytes that wait in the server's queues.
  std::size_t unsent() const noexcept { return stream_.unsent() + (secure_ ? secure_->waiting() : 0); }
  // The memory of those that belongs to the server.
  std::size_t held() const noexcept { return stream_.held() + (secure_ ? secure_->held() : 0); }
  std::size_t undelivered() const noexcept { return stream_.undelivered() + (secure_ ? secure_->waiting() : 0); }

  void pause() noexcept { stream_.pause(); }
  void resume() {
    if (secure_) [[unlikely]]
      secure_->before_resume();
    stream_.resume();
  }
  bool paused() const noexcept { return stream_.paused(); }

  void allow_direct_receive(bool takes) noexcept {
    secure_ ? secure_->allow_direct_receive(takes) : stream_.allow_direct_receive(takes);
  }
  // As net::Stream's; no gain over TLS, which has to decrypt records.
  void expect_large(bool large) noexcept {
    if (!secure_) stream_.expect_large(large);
  }
  // As net::Stream::receive_into(); over TLS, `to` has tls::Session::room.
  std::size_t receive_into(std::span<char> to) {
    return secure_ ? secure_->receive_into(to) : stream_.receive_into(to);
  }

  // Ends the server's side, over TLS after a close_notify, once the queue is empty.
  void shutdown_write() {
    if (secure_) [[unlikely]]
      return secure_->shutdown_write();
    stream_.shutdown_write();
  }
  void close() {
    if (secure_) [[unlikely]]
      secure_->before_close();
    stream_.close();
  }
  void abort() { stream_.abort(); }

  bool is_open() const noexcept { return stream_.is_open(); }
  // As net::Stream's.
  bool has_unread() const noexcept { return stream_.has_unread() || (secure_ && secure_->has_unread()); }
  // Inside on_bytes(): whether more bytes of the peer are available. Costs a system call.
  bool has_unpresented() const noexcept { return stream_.waiting() != 0 || (secure_ && secure_->has_undecrypted()); }
  std::size_t waiting() const noexcept { return stream_.waiting(); }
  const net::Address& remote() const noexcept { return stream_.remote(); }
  net::Loop& loop() const noexcept { return stream_.loop(); }

  // Null if the connection is plain, and before on_secured().
  const tls::Session* session() const noexcept { return secure_ ? secure_->session() : nullptr; }
  bool is_secure() const noexcept { return secure_ != nullptr; }

private:
  net::Stream stream_;
  std::unique_ptr<SecureStream> secure_;
  std::unique_ptr<proxy::ProxyStream> proxy_;
};

}  // namespace tern::transport
