#include "net/watch.hpp"

#include "net/loop.hpp"

#include <sys/epoll.h>
#include <cerrno>
#include <utility>

namespace tern::net {

DescriptorWatch::~DescriptorWatch() {
  [[maybe_unused]] const bool nothing_can_be_refused = want(false, false);
}

// Taken out and put in again, since a poller changes the events of receivers only. Clients of databases ask rarely.
bool DescriptorWatch::want(bool readable, bool writable) noexcept {
  const std::uint32_t events = (readable ? unsigned{EPOLLIN} : 0U) | (writable ? unsigned{EPOLLOUT} : 0U);
  if (events == events_) return true;
  if (std::exchange(events_, 0) != 0) {
    ++watches_;
    poller_.remove(descriptor_, *this);
  }
  if (events == 0) return true;
  ++watches_;
  if (const int error = poller_.add(descriptor_, *this, events); error != 0) {
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
