// What lies between a net::Stream and the handler of a connection that speaks TLS.
//
// Life of the bytes. What the socket gives is decrypted into the loop's buffer and presented as net::Stream presents:
// what the handler leaves is kept and presented again, in front of what comes next, or after resume(). A handler that
// pauses leaves the ciphertext with the stream below, and with it the peer. What the handler sends is encrypted piece
// by piece, as the socket takes it: the rest waits as it is, so that a large answer to a slow reader is in memory once.
// The handshake goes by itself; the handler hears of it by on_secured() and on_refused(), and of nothing before.
#pragma once

#include "net/loop.hpp"
#include "net/output.hpp"
#include "net/rest_buffer.hpp"
#include "net/send_queue.hpp"
#include "net/stream.hpp"
#include "tls/session.hpp"

#include <tern/base/block_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

namespace tern::server {

class TransportHandler : public net::StreamHandler {
public:
  // The handshake has ended well: what was negotiated is known, nothing has been received yet, and sending works.
  virtual void on_secured() = 0;
  // It has ended otherwise, and the peer has been told why, by an alert or, where it speaks plain HTTP, by an answer.
  // What it sends from now on is handed on as it comes, to be swallowed; the handler ends the connection.
  virtual void on_refused() = 0;

protected:
  ~TransportHandler() = default;
};

// What the connections of a loop decrypt into and encrypt into, one after the other. Owns nothing until first used.
struct SecureBuffers {
  std::unique_ptr<char[]> plain;
  net::Output cipher;

  // Where tls::Session::room bytes can be put, with as many in front and padding behind.
  std::span<char> room() noexcept;  // empty where there is no memory
};

class SecureStream final : public net::StreamHandler, private net::IterationEnd {
public:
  // All of them outlive it. Throws std::bad_alloc.
  SecureStream(net::Stream& stream, TransportHandler& handler, const std::shared_ptr<const tls::Context>& context,
               SecureBuffers& buffers);
  ~SecureStream() = default;

  static void* operator new(std::size_t size) { return base::allocate_block(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { base::free_block(memory, size); }

  void send(net::Output& output);
  // Bytes that are not encrypted yet.
  std::size_t waiting() const noexcept { return queue_ ? queue_->size() : 0; }
  std::size_t held() const noexcept { return queue_ ? queue_->held() : 0; }
  // Whether there are decrypted bytes that the handler has not consumed.
  bool has_unread() const noexcept { return !rest_.empty(); }
  // Inside of the handler's on_bytes(): whether more was received than has been decrypted.
  bool has_undecrypted() const noexcept { return undecrypted_ != 0; }
  void before_resume();
  void shutdown_write();
  void before_close();
  void allow_direct_receive(bool allowed) noexcept { direct_receive_allowed_ = allowed; }
  // Decrypts what has just arrived into `to`, which has tls::Session::room.
  std::size_t receive_into(std::span<char> to);

  const tls::Session* session() const noexcept { return secured_ ? &session_ : nullptr; }

private:
  std::size_t on_bytes(std::span<const char> bytes) override;
  void on_end() override;
  void on_hang_up() override;
  void on_sent() override;
  void on_closed(std::error_code why) override;
  void on_iteration_end() noexcept override;
  void end_iteration();

  bool refuse_plain_text(char first);
  void decrypt(std::span<const char> bytes);
  void send_own();
  void fail();
  void deliver(std::span<char> fresh);
  void deliver_rest();
  void give_end();
  void tell_end();
  void encrypt(std::string_view bytes);
  void pump();
  void encrypt_some();
  void end_writing();

  net::Stream& stream_;
  TransportHandler& handler_;
  SecureBuffers& buffers_;
  tls::Session session_;
  net::RestBuffer rest_;                   // plain bytes that the handler has not consumed
  std::unique_ptr<net::SendQueue> queue_;  // plain bytes that wait for the socket
  std::uint32_t own_ = 0;                  // bytes of TLS's own that had to wait
  std::uint32_t undecrypted_ = 0;          // bytes of those that on_bytes() was given
  bool begun_ = false;                     // the peer has sent something
  bool secured_ = false;
  bool refused_ = false;
  bool redeliver_ = false;  // resumed, and the rest is to be presented again
  bool end_waits_ = false;  // the peer has ended its side, and on_end() waits for resume()
  bool end_told_ = false;
  bool finish_writing_ = false;
  bool direct_receive_allowed_ = false;
  std::span<const char> arrived_;  // what it may take
};

}  // namespace tern::server
