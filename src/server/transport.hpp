// The byte stream below a connection: a net::Stream, with TLS in between where the listener speaks it. It has the calls
// of net::Stream, and of what is plain nothing is virtual.
#pragma once

#include "net/stream.hpp"
#include "server/listening.hpp"
#include "server/proxy_header.hpp"
#include "server/secure_stream.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace tern::server {

class Transport {
public:
  // As net::Stream::open(); over TLS when there is a context, behind a header of the PROXY protocol when there is one.
  // Throws std::bad_alloc.
  void open(net::Loop& loop, net::Descriptor socket, TransportHandler& handler, const net::Address& remote,
            const Manner& manner, SecureBuffers& buffers) {
    net::StreamHandler* first = &handler;
    if (manner.tls) {
      secure_ = std::make_unique<SecureStream>(stream_, handler, manner.tls, buffers);
      first = secure_.get();
    }
    if (manner.proxied) {
      proxy_ = std::make_unique<ProxyStream>(stream_, *first);
      first = proxy_.get();
    }
    stream_.open(loop, std::move(socket), *first, remote);
  }

  void send(net::Output& output) {
    if (secure_) [[unlikely]]
      return secure_->send(output);
    stream_.send(output);
  }
  // Bytes that wait in our queues.
  std::size_t unsent() const noexcept { return stream_.unsent() + (secure_ ? secure_->waiting() : 0); }
  // The memory of those that is ours.
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
  // As net::Stream's; over TLS, where records are to be opened, nothing is gained.
  void expect_large(bool large) noexcept {
    if (!secure_) stream_.expect_large(large);
  }
  // As net::Stream::receive_into(); over TLS, `to` has tls::Session::room.
  std::size_t receive_into(std::span<char> to) {
    return secure_ ? secure_->receive_into(to) : stream_.receive_into(to);
  }

  // Ends our side, over TLS with a close_notify before it, once the queue is empty.
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
  // Inside on_bytes(): whether bytes of the peer are here beside those presented. Costs a system call.
  bool has_unpresented() const noexcept { return stream_.waiting() != 0 || (secure_ && secure_->has_undecrypted()); }
  std::size_t waiting() const noexcept { return stream_.waiting(); }
  const net::Address& remote() const noexcept { return stream_.remote(); }
  net::Loop& loop() const noexcept { return stream_.loop(); }

  // Null where the connection is plain, and before on_secured().
  const tls::Session* session() const noexcept { return secure_ ? secure_->session() : nullptr; }
  bool is_secure() const noexcept { return secure_ != nullptr; }

private:
  net::Stream stream_;
  std::unique_ptr<SecureStream> secure_;
  std::unique_ptr<ProxyStream> proxy_;
};

}  // namespace tern::server
