// The TLS layer between a net::Stream and the handler of a connection.
//
// Received bytes are decrypted into the loop's buffer and presented as net::Stream presents them: bytes that the
// handler does not consume are redelivered in front of the next ones, or after resume(). While the handler pauses, the
// ciphertext stays in the stream below, so that the peer has to wait. Output is encrypted piece by piece as the socket
// accepts it; the rest waits as plaintext, so that a large answer to a slow reader is in memory once, and a part of a
// file not at all: it is read when it is encrypted. The handler is not involved in the handshake: on_secured() or
// on_refused() is its first call.
#pragma once

#include "net/input_stage.hpp"
#include "net/loop.hpp"
#include "net/output.hpp"
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

namespace tern::transport {

class TransportHandler : public net::StreamHandler {
public:
  // The handshake has succeeded: the negotiated parameters are known, nothing has been received yet, and sending works.
  virtual void on_secured() = 0;
  // It has failed, and the peer has been sent the reason, by an alert or, if it speaks plain HTTP, by an answer. Its
  // further bytes are presented undecrypted, to be discarded; the handler closes the connection.
  virtual void on_refused() = 0;

protected:
  ~TransportHandler() = default;
};

// The buffers shared by the connections of a loop, one after the other. Allocated on first use.
struct SecureBuffers {
  static constexpr std::size_t file_size = 64 * 1024;  // four records

  std::unique_ptr<char[]> plain;
  std::unique_ptr<char[]> file;
  net::Output cipher;

  // Space for tls::Session::room bytes, with as many in front and padding behind.
  std::span<char> room() noexcept;  // empty if an allocation has failed
  // Space for a part of a file.
  std::span<char> file_room() noexcept;  // the same
};

class SecureStream final : public net::StreamHandler, private net::IterationEnd {
public:
  // All parameters outlive it. Throws std::bad_alloc.
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
  bool has_unread() const noexcept { return !input_.empty(); }
  // Inside of the handler's on_bytes(): whether received bytes are not yet decrypted.
  bool has_undecrypted() const noexcept { return undecrypted_ != 0; }
  void before_resume();
  void shutdown_write();
  void before_close();
  void allow_direct_receive(bool allowed) noexcept { direct_receive_allowed_ = allowed; }
  // Decrypts the bytes that have just arrived into `to`, which has tls::Session::room.
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
  auto consumer() noexcept;
  void give_end();
  void tell_end();
  void encrypt(std::string_view bytes);
  void pump();
  void encrypt_some();
  void encrypt_pieces();
  void encrypt_files();
  void end_writing();

  net::Stream& stream_;
  TransportHandler& handler_;
  SecureBuffers& buffers_;
  tls::Session session_;
  net::InputStage input_;                  // of plain bytes
  std::unique_ptr<net::SendQueue> queue_;  // plain bytes that wait for the socket
  std::uint32_t own_ = 0;                  // bytes of TLS's own records that had to wait
  std::uint32_t undecrypted_ = 0;          // bytes of those passed to on_bytes()
  bool begun_ = false;                     // the peer has sent something
  bool secured_ = false;
  bool refused_ = false;
  bool end_waits_ = false;  // the peer has ended its side, and on_end() waits for resume()
  bool end_told_ = false;
  bool finish_writing_ = false;
  bool direct_receive_allowed_ = false;
  std::span<const char> arrived_;  // ciphertext not decrypted yet
};

}  // namespace tern::transport
