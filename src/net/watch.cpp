#include "net/watch.hpp"

#include "net/loop.hpp"

#include <sys/epoll.h>
#include <cerrno>
#include <utility>

namespace tern::net {

DescriptorWatch::~DescriptorWatch() {
  [[maybe_unused]] const bool nothing_can_be_refused = want(false, false);
}

bool DescriptorWatch::want(bool readable, bool writable) noexcept {
  const std::uint32_t events = (readable ? unsigned{EPOLLIN} : 0U) | (writable ? unsigned{EPOLLOUT} : 0U);
  if (events == events_) return true;
  ++watches_;
  const std::uint32_t before = std::exchange(events_, 0);
  if (events == 0) {
    epoll_.remove(descriptor_, *this);
    return true;
  }
  const int error = before != 0 ? epoll_.change(descriptor_, *this, events) : epoll_.add(descriptor_, *this, events);
  if (error != 0) {
    if (before != 0) epoll_.remove(descriptor_, *this);
    errno = error;
    return false;
  }
  events_ = events;
  return true;
}

void DescriptorWatch::on_ready(std::uint32_t events) {
  const bool ended = (events & (EPOLLERR | EPOLLHUP)) != 0;
  const bool readable = (events_ & EPOLLIN) != 0 && (ended || (events & EPOLLIN) != 0);
  const bool writable = (events_ & EPOLLOUT) != 0 && (ended || (events & EPOLLOUT) != 0);
  handler_.on_ready(readable, writable);  // may destroy this
}

}  // namespace tern::net
