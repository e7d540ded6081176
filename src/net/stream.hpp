// One connected socket on a loop: bytes in by callback, bytes out by send().
//
// The life of a connection. A Listener accepts a descriptor; the server makes an object that holds a Stream and is its
// StreamHandler, and calls open(). Bytes arrive in the loop's shared buffer and are presented by on_bytes(); what the
// handler does not consume is kept in a buffer of the stream's own (an idle connection owns none) and presented again,
// in front of what comes next. send() goes to the kernel at once; what the kernel does not take waits in a queue and
// leaves when the socket has room, after which on_sent() is called. pause() stops the reading, and with it, once the
// kernel's buffers are full, the peer. When the peer has sent its last byte, on_end() is called; we may still send.
// close(), a reset or a failed write end the connection: on_closed() is called, always from the end of a round of the
// loop and never from inside another call, so that nobody's object vanishes under somebody's feet, and there the
// handler deletes itself.
#pragma once

#include "net/address.hpp"
#include "net/descriptor.hpp"
#include "net/epoll.hpp"
#include "net/rest_buffer.hpp"
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
// and other streams: send, pause, resume, close, abort. What on_bytes(), on_takeable(), on_end() and on_sent() throw
// for lack of memory (std::bad_alloc) ends the connection with ENOMEM; they must not throw anything else, nor
// on_closed().
class StreamHandler {
public:
  StreamHandler(const StreamHandler&) = delete;
  StreamHandler& operator=(const StreamHandler&) = delete;

  // `bytes` is everything that was received and is not consumed yet, old before new, never empty; it is valid during
  // the call, and 64 bytes behind it may be read (not used). Returns how many bytes, from the front, are done with;
  // take as many as can be used, since the rest is presented again only when more has arrived or after resume(). The
  // rest is not bounded by the stream: a handler that waits for more of something bounds it, and closes.
  virtual std::size_t on_bytes(std::span<const char> bytes) = 0;

  // In place of on_bytes(), after Stream::let_take(true), when bytes may be there and none are left of what was
  // presented: the handler may fetch them by one Stream::take(). False where it has not, and they are to be presented
  // as usual.
  virtual bool on_takeable() { return false; }

  // The peer has ended its side (FIN), and all its bytes have been presented; there will be no more. Sending goes on.
  virtual void on_end() = 0;

  // The peer has ended its side while the stream is paused: behind bytes, perhaps, that have not been presented.
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

  // Takes a connected, non-blocking socket over. Where the kernel refuses to watch it, on_closed() follows.
  // May be called again after on_closed().
  void open(Loop& loop, Descriptor socket, StreamHandler& handler, const Address& remote = {});

  // Another handler takes over, for a peer that is known to be `remote`; also from inside of the old one's on_bytes().
  void hand_over(StreamHandler& handler, const Address& remote) noexcept {
    handler_ = &handler;
    remote_ = remote;
  }

  // Sends what the kernel takes at once, in one call, and queues the rest. `output` is empty afterwards and keeps its
  // memory. Nothing happens after close(), a failure, or shutdown_write(): the bytes are dropped. A failed write is
  // reported by on_closed(), later.
  void send(Output& output);
  void send(std::string_view bytes);

  // Bytes that wait in our queue (not the kernel's).
  std::size_t unsent() const noexcept { return queue_ ? queue_->size() : 0; }

  // Those, and the bytes that the kernel holds because the peer has not taken them: what shows whether the peer reads,
  // since a socket becomes writable only when a good part of its buffer is free. Costs a system call.
  std::size_t undelivered() const noexcept;

  // Stops reading until resume(): no on_bytes(), no on_end(). A reset is still noticed, and an end by on_hang_up().
  // Costs no system call unless something arrives meanwhile.
  void pause() noexcept { paused_ = true; }
  // Goes on reading; bytes that were kept are presented again later in this round or in the next, not inside the call.
  void resume();
  bool paused() const noexcept { return paused_; }

  // Whether the handler takes what comes by itself: large content goes straight to where it belongs.
  void let_take(bool takes) noexcept { takes_ = takes; }
  // What the peer sends next is large: only its beginning is received at once, so that its handler can take the rest.
  void expect_large(bool large) noexcept { expects_large_ = large; }
  // From inside of on_takeable() only: receives into `to`, which is not empty, what is there. How many bytes; 0 where
  // there are none, or the peer has ended its side, or the connection is broken, which is told as always.
  std::size_t take(std::span<char> to) noexcept;

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
  // system call. Not from inside on_bytes(), where those that are being presented may count.
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
  bool offer();
  void present(std::span<char> fresh);
  void present_rest();
  void present_end();
  void hang_up();
  void on_round() noexcept;  // the loop's answer to resume()
  void flush();
  void end(int error);
  void finish();  // the loop's answer to end()
  std::uint32_t wanted() const noexcept;
  void watch(std::uint32_t events);
  template <class F>
  void enqueue(F&& add);
  bool reading() const noexcept { return !paused_ && !ended_; }

  Descriptor socket_;
  Loop* loop_ = nullptr;
  StreamHandler* handler_ = nullptr;
  Stream* next_ = nullptr;  // in the loop's list of streams to look after at the end of the round
  RestBuffer rest_;
  std::unique_ptr<SendQueue> queue_;
  int error_ = 0;
  std::uint32_t watched_ = 0;  // the events that the epoll instance watches for, if `added_`
  bool open_ : 1 = false;
  bool added_ : 1 = false;
  bool listed_ : 1 = false;   // in the loop's list of resumed streams
  bool closing_ : 1 = false;  // in the loop's list of closing streams, or about to be
  bool paused_ : 1 = false;
  bool ended_ : 1 = false;
  bool hung_up_ : 1 = false;    // on_hang_up() was called
  bool represent_ : 1 = false;  // resumed, and the rest is to be presented again
  bool finish_writing_ : 1 = false;
  bool takes_ : 1 = false;  // the handler, by itself
  bool expects_large_ : 1 = false;
  bool took_end_ : 1 = false;  // the last take() has found that the peer has ended its side
  Address remote_;
};

// An idle connection costs this and nothing else in this room.
static_assert(sizeof(void*) != 8 || sizeof(Stream) <= 96);

}  // namespace tern::net
