// epoll, level-triggered: which descriptors are ready, told to the objects that watch them. Descriptors are registered
// once and stay registered; epoll_ctl is not on a request's path.
#pragma once

#include "net/descriptor.hpp"

#include <sys/epoll.h>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tern::net {

// Something with a descriptor in an Epoll.
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

// On the loop's thread, or while the loop does not run.
class Epoll {
public:
  Epoll();  // throws std::system_error when the kernel gives no epoll instance
  Epoll(const Epoll&) = delete;
  Epoll& operator=(const Epoll&) = delete;

  // Level-triggered, unless `events` has EPOLLET. 0, or errno.
  int add(int descriptor, Watched& watched, std::uint32_t events) noexcept;
  int change(int descriptor, Watched& watched, std::uint32_t events) noexcept;
  // Also drops events that were reported for `watched` and not dispatched yet. The descriptor may be closed afterwards.
  void remove(int descriptor, Watched& watched) noexcept;

  // Waits for events, at most `timeout` milliseconds (without limit, if negative). Whether there are any.
  bool wait(int timeout) noexcept;
  // Calls on_ready() for each.
  void dispatch();

private:
  Descriptor epoll_;
  std::array<epoll_event, 256> events_;
  std::size_t count_ = 0;
  std::size_t next_ = 0;
};

}  // namespace tern::net
