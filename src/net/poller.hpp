// How a loop waits: the seam between streams and listeners on one side and what the kernel offers on the other, epoll
// (epoll.hpp) or io_uring (uring.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tern::net {

// Something with a descriptor in the poller.
class Watched {
public:
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  // `events` are epoll's (EPOLLIN and so on).
  virtual void on_ready(std::uint32_t events) = 0;

protected:
  Watched() = default;
  ~Watched() = default;

private:
  friend class Epoll;
  friend class Receiver;
  friend class Uring;
  std::uint32_t slot_ = 0;
  bool receives_ = false;  // is a Receiver
};

// A connected socket. A poller may have several of them receive before any is told of it (epoll), or receive by itself
// (io_uring). What was received is told here, in order, and no EPOLLIN with it to on_ready().
class Receiver : public Watched {
public:
  // Receives into the loop's buffer, from its byte `at` on. How many bytes; 0 where on_ready() is to see to it.
  virtual std::size_t receive_ahead(std::size_t at) noexcept = 0;
  // What that has received.
  virtual void on_received_ahead(std::size_t at, std::size_t count) = 0;
  // The span is the receiver's during the call, with `room` bytes in front of it that may be written to, and padding
  // behind it (RestBuffer::padding) that may be read.
  virtual void on_received(std::span<char> bytes, std::size_t room) = 0;
  // The peer has sent its last byte, or receiving has failed with `error`.
  virtual void on_receive_end(int error) = 0;
  // Bytes that were under way when the loop was stopped: to be kept for its next run.
  virtual void keep(std::span<const char> bytes) = 0;

protected:
  Receiver() noexcept { receives_ = true; }
  ~Receiver() = default;
};

// On the loop's thread, or while the loop does not run.
class Poller {
public:
  Poller() = default;
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  virtual ~Poller() = default;

  // The loop begins to run, on the calling thread. Throws std::system_error when the kernel does not let it.
  virtual void begin() {}
  // The loop has ended its run: afterwards nothing is under way in the kernel.
  virtual void end() {}

  // Level-triggered, unless `events` has EPOLLET. 0, or errno.
  virtual int add(int descriptor, Watched& watched, std::uint32_t events) noexcept = 0;
  virtual int change(int descriptor, Receiver& receiver, std::uint32_t events) noexcept = 0;
  // Also drops what was reported for `watched` and not told yet. The descriptor is closed afterwards, or goes on.
  virtual void remove(int descriptor, Watched& watched) noexcept = 0;
  // Whether bytes have been received for `receiver` that were not told yet.
  virtual bool holds(const Receiver& receiver) const noexcept = 0;
  // Whether the poller is about to receive for `receiver`, so that nobody else may.
  virtual bool receives(const Receiver& receiver) const noexcept = 0;
  // `receiver` has left its socket writable, and wants to hear of it again in the next round.
  virtual void again(Receiver& receiver) = 0;

  // Waits for events, at most `timeout` milliseconds (for ever, if negative). Whether there are any.
  virtual bool wait(int timeout) noexcept = 0;
  // Whom alone the last wait() has brought events for; null when there were several, or none. It may be gone by now.
  virtual const Watched* alone() const noexcept = 0;
  // Tells them.
  virtual void dispatch() = 0;
};

}  // namespace tern::net
