// epoll, level-triggered: which descriptors are ready, told to the objects that watch them. Descriptors are registered
// once and stay; epoll_ctl is not on the way of a request.
#pragma once

#include "net/descriptor.hpp"

#include <sys/epoll.h>
#include <array>
#include <cstddef>
#include <cstdint>

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
};

class Poller {
public:
  Poller();  // throws std::system_error when the kernel gives no epoll instance

  // 0, or errno.
  int add(int descriptor, Watched& watched, std::uint32_t events) noexcept;
  int change(int descriptor, Watched& watched, std::uint32_t events) noexcept;
  // Also drops what was reported for `watched` and not told yet.
  void remove(int descriptor, Watched& watched) noexcept;

  // Waits for events, at most `timeout` milliseconds (for ever, if negative); returns how many dispatch() will tell.
  std::size_t wait(int timeout) noexcept;
  void dispatch();

private:
  Descriptor epoll_;
  std::array<epoll_event, 256> events_;
  std::size_t count_ = 0;
  std::size_t next_ = 0;
};

}  // namespace tern::net
