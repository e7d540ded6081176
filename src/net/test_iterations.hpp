// For tests with the loop and both ends of its connections in one thread: iterations by number, and a peer that never
// blocks.
#pragma once

#include "net/descriptor.hpp"
#include "net/loop.hpp"

#include <tern/base/duration.hpp>
#include <tern/coro/executor.hpp>

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tern::net {

// Stops a loop after so many iterations. A timer begins it, since a loop that does not run accepts no posted work.
class Countdown final : Timer {
public:
  Countdown(Loop& loop, int count) : loop_(loop), count_(count) { loop_.arm(*this, Milliseconds(0)); }
  ~Countdown() { loop_.disarm(*this); }

private:
  void on_timer() noexcept override { again(); }
  void again() {
    if (--count_ <= 0) return loop_.stop();
    loop_.post([this] { again(); });
  }
  Loop& loop_;
  int count_;
};

inline void run_iterations(Loop& loop, int count) {
  const Countdown countdown(loop, count);
  loop.run();
}

// One end of a Unix connection; the other is a descriptor for a stream.
class NonBlockingPeer {
public:
  explicit NonBlockingPeer(Descriptor socket) : socket_(std::move(socket)) {}

  // Sends everything, which has to fit into the buffer of the socket.
  void send(std::string_view bytes) {
    if (bytes.empty()) return;
    const ssize_t sent = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ASSERT_EQ(sent, static_cast<ssize_t>(bytes.size()));
  }
  // Takes everything that has arrived.
  std::string receive() {
    std::string all;
    char piece[64 * 1024];
    for (;;) {
      const ssize_t count = ::recv(socket_.number(), piece, sizeof piece, MSG_DONTWAIT);
      if (count == 0) ended_ = true;
      if (count <= 0) return all;
      all.append(piece, static_cast<std::size_t>(count));
    }
  }
  // Whether receive() has seen the end.
  bool ended() const { return ended_; }
  void shutdown_write() { ::shutdown(socket_.number(), SHUT_WR); }
  void close() { socket_.reset(); }

private:
  Descriptor socket_;
  bool ended_ = false;
};

inline std::pair<NonBlockingPeer, Descriptor> non_blocking_pair() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
  return {NonBlockingPeer(Descriptor(ends[0])), Descriptor(ends[1])};
}

}  // namespace tern::net
