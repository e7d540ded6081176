#include "net/epoll.hpp"

#include <cerrno>
#include <system_error>

namespace tern::net {
namespace {

int control(int epoll, int operation, int descriptor, Watched* watched, std::uint32_t events) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.ptr = watched;
  return ::epoll_ctl(epoll, operation, descriptor, &event) == 0 ? 0 : errno;
}

}  // namespace

Epoll::Epoll() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw std::system_error(errno, std::system_category(), "epoll_create1");
}

int Epoll::add(int descriptor, Watched& watched, std::uint32_t events) noexcept {
  return control(epoll_.number(), EPOLL_CTL_ADD, descriptor, &watched, events);
}

int Epoll::change(int descriptor, Watched& watched, std::uint32_t events) noexcept {
  return control(epoll_.number(), EPOLL_CTL_MOD, descriptor, &watched, events);
}

void Epoll::remove(int descriptor, Watched& watched) noexcept {
  // Explicit, although closing a descriptor removes it too: not while a forked child holds a copy of it.
  control(epoll_.number(), EPOLL_CTL_DEL, descriptor, nullptr, 0);
  for (std::size_t i = next_; i < count_; ++i) {
    if (events_[i].data.ptr == &watched) events_[i].data.ptr = nullptr;
  }
}

bool Epoll::wait(int timeout) noexcept {
  const int count = ::epoll_wait(epoll_.number(), events_.data(), static_cast<int>(events_.size()), timeout);
  count_ = count < 0 ? 0 : static_cast<std::size_t>(count);  // interrupted by a signal: no events
  next_ = 0;
  return count_ != 0;
}

void Epoll::dispatch() {
  while (next_ < count_) {
    const epoll_event event = events_[next_++];
    if (event.data.ptr != nullptr) static_cast<Watched*>(event.data.ptr)->on_ready(event.events);
  }
}

}  // namespace tern::net
