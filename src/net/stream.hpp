// One connected socket on a loop: bytes in by callback, bytes out by send().
//
// The life of a connection. A Listener accepts a descriptor; the server makes an object that holds a Stream and is its
// StreamHandler, and calls open(). Bytes arrive in the loop's shared buffer and are delivered by on_bytes(); what the
// handler does not consume moves to a buffer of the stream's own (an idle connection has none) and is redelivered in
// front of the next bytes. send() goes to the kernel at once; what the kernel does not take waits in a queue and
// leaves when the socket has room, after which on_sent() is called. pause() stops the reading, and with it, once the
// kernel's buffers are full, the peer. When the peer has sent its last byte, on_end() is called; we may still send.
// close(), a reset or a failed write end the connection. on_closed() follows at the end of an iteration of the loop,
// never inside another call, so that no object is deleted while it is in use. The handler deletes itself there.
#pragma once

#include "net/address.hpp"
#include "net/descriptor.hpp"
#include "net/epoll.hpp"
#include "net/input_stage.hpp"
#include "net/send_queue.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

namespace tern::net {

class Loop;
class Output;

// What the owner of a connection implements. Everything is called on the loop's thread and may call anything on this
// and other streams: send, pause, resume, close, abort. What on_bytes(), on_direct_receive(), on_end() and on_sent()
// throw for lack of memory (std::bad_alloc) ends the connection with ENOMEM; they must not throw anything else, nor
// on_closed().
class StreamHandler {
public:
  StreamHandler(const StreamHandler&) = delete;
  StreamHandler& operator=(const StreamHandler&) = delete;

  // `bytes` is everything that was received and is not consumed yet, old before new, never empty; it is valid during
  // the call, and 64 bytes behind it may be read (not used). Returns how many bytes, from the front, are done with;
  // take as many as can be used, since the rest is delivered again only when more has arrived or after resume(). The
  // rest is not bounded by the stream: a handler that waits for more of something bounds it, and closes.
  virtual std::size_t on_bytes(std::span<const char> bytes) = 0;

  // Direct receive, after Stream::allow_direct_receive(true): called instead of on_bytes() when bytes may have arrived
  // and all delivered ones are consumed. The handler may call Stream::receive_into() once. False if it has not; the
  // bytes then go to on_bytes().
  virtual bool on_direct_receive() { return false; }

  // The peer has ended its side (FIN), and all its bytes have been delivered; there will be no more. Sending goes on.
  virtual void on_end() = 0;

  // The peer has ended its side while the stream is paused: behind bytes, perhaps, that have not been delivered.
  // on_end() still follows, after resume(). At most once for each open().
  virtual void on_hang_up() {}

  // Output that had to wait is now all with the kernel. Never called from inside send().
  virtual void on_sent() = 0;

  // The last call, exactly once for each open(): the descriptor is closed, and this object and its Stream may be
  // deleted. `why` is empty after close() and abort(), otherwise the error of the socket (a reset shows as ECONNRESET
  // or EPIPE); bytes that a peer sent before its reset and that were not received by then are dropped.
  virtual void on_closed(std::error_code why) = 0;

protected:
  StreamHandler() = default;
  ~StreamHandler() = default;
};

class Stream final : private Watched {
public:
  Stream() noexcept = default;
  ~Stream();  // never opened, or on_closed() has been called

  // Owns a connected, non-blocking socket from now on. If the kernel refuses to watch it, on_closed() follows.
  // May be called again after on_closed().
  void open(Loop& loop, Descriptor socket, StreamHandler& handler, const Address& remote = {});

  // Replaces the handler and the peer's address; allowed inside on_bytes() of the old handler.
  void hand_over(StreamHandler& handler, const Address& remote) noexcept {
    handler_ = &handler;
    remote_ = remote;
  }

  // Sends as much as the kernel accepts, and queues the rest. `output` is empty afterwards and keeps its memory. After
  // close(), a failure or shutdown_write() the bytes are dropped. A failed write is reported later, by on_closed(). If
  // a file is too short, the connection ends with ENODATA.
  void send(Output& output);
  void send(std::string_view bytes);

  // Bytes in the send queue (not the kernel's), and the memory that they hold.
  std::size_t unsent() const noexcept { return queue_ ? queue_->size() : 0; }
  std::size_t held() const noexcept { return queue_ ? queue_->held() : 0; }

  // unsent(), and the bytes in the kernel that the peer has not acknowledged. Shows whether the peer reads: a socket
  // becomes writable only when a good part of its buffer is free. Costs a system call.
  std::size_t undelivered() const noexcept;

  // Stops reading until resume(): no on_bytes(), no on_end(). A reset is still noticed, and an end by on_hang_up().
  // Costs no system call unless something arrives meanwhile.
  void pause() noexcept { paused_ = true; }
  // Reads again. Unconsumed bytes are redelivered later in this iteration or in the next, not inside the call.
  void resume();
  bool paused() const noexcept { return paused_; }

  // Whether on_direct_receive() is called: it receives large content directly into its destination.
  void allow_direct_receive(bool allowed) noexcept { direct_receive_allowed_ = allowed; }
  // Large content follows: only its first bytes go to the receive buffer, so that the rest can be received directly.
  void expect_large(bool large) noexcept { expects_large_ = large; }
  // Only from on_direct_receive(): receives into `to`, which is not empty, and returns the number of bytes. 0 if none
  // have arrived, the peer has ended its side, or the connection has failed; the last two are reported as always.
  std::size_t receive_into(std::span<char> to) noexcept;

  // Ends our side (FIN) once the queue is empty.
  void shutdown_write();
  // Ends the connection: the queue is dropped, what the kernel has is still sent. on_closed() follows. (Beware: closing
  // with bytes unread makes the kernel send a reset, which may overtake the answer; to be safe, shutdown_write(), and
  // close at on_end() or after a while.)
  void close();
  // Ends the connection with a reset.
  void abort();

  // From open() to close(), abort() or failure. Once false, the only thing to come is on_closed().
  bool is_open() const noexcept { return open_; }
  // Whether there are bytes of the peer that the handler has not consumed, kept here or by the kernel. May cost a
  // system call. Not from inside on_bytes(), where those that are being delivered may count.
  bool has_unread() const noexcept;
  // How many bytes of the peer the kernel holds for us. Costs a system call.
  std::size_t waiting() const noexcept;
  // Whether the peer has ended its side, and we know.
  bool ended() const noexcept { return ended_; }
  const Address& remote() const noexcept { return remote_; }
  Loop& loop() const noexcept { return *loop_; }

private:
  friend class Loop;

  void on_ready(std::uint32_t events) override;
  template <class F>
  void dispatch(F&& call) noexcept;
  void handle(std::uint32_t events);
  void receive(std::uint32_t events);
  bool try_direct_receive();
  auto consumer() noexcept;
  void deliver_end();
  void hang_up();
  void on_resumed() noexcept;  // the loop's answer to resume()
  void flush();
  bool send_queued();
  ssize_t send_front(std::size_t& asked);
  void end(int error);
  void finish();  // the loop's answer to end()
  std::uint32_t wanted() const noexcept;
  void watch(std::uint32_t events);
  template <class F>
  void enqueue(F&& add);
  bool reading() const noexcept { return !paused_ && !ended_; }

  Loop* loop_ = nullptr;
  StreamHandler* handler_ = nullptr;
  Stream* next_ = nullptr;  // in the loop's list of streams to look after at the end of the iteration
  std::unique_ptr<SendQueue> queue_;
  [[no_unique_address]] InputStage input_;
  Descriptor socket_;
  int error_ = 0;
  std::uint32_t watched_ = 0;  // the events that the epoll instance watches for, if `added_`
  bool open_ : 1 = false;
  bool added_ : 1 = false;
  bool listed_ : 1 = false;   // in the loop's list of resumed streams
  bool closing_ : 1 = false;  // in the loop's list of closing streams, or about to be
  bool paused_ : 1 = false;
  bool ended_ : 1 = false;
  bool hung_up_ : 1 = false;  // on_hang_up() was called
  bool finish_writing_ : 1 = false;
  bool direct_receive_allowed_ : 1 = false;
  bool expects_large_ : 1 = false;
  bool received_end_ : 1 = false;  // the last receive_into() found the end of the stream
  Address remote_;
};

// An idle connection costs this and nothing else in this room.
static_assert(sizeof(void*) != 8 || sizeof(Stream) <= 96);

}  // namespace tern::net
