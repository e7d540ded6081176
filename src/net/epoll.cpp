#include "net/epoll.hpp"

#include <cerrno>
#include <system_error>

namespace tern::net {
namespace {

constexpr std::size_t large = 4096;      // bytes: told at once
constexpr std::size_t most = 32 * 1024;  // bytes before somebody is told
constexpr std::size_t line = 64;         // bytes

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

int Epoll::change(int descriptor, Receiver& receiver, std::uint32_t events) noexcept {
  return control(epoll_.number(), EPOLL_CTL_MOD, descriptor, &receiver, events);
}

void Epoll::remove(int descriptor, Watched& watched) noexcept {
  // Said explicitly, although closing a descriptor removes it too: not while a forked child holds a copy of it.
  control(epoll_.number(), EPOLL_CTL_DEL, descriptor, nullptr, 0);
  for (std::size_t i = next_; i < count_; ++i) {
    if (events_[i].data.ptr == &watched) events_[i].data.ptr = nullptr;
  }
}

bool Epoll::holds(const Receiver& receiver) const noexcept {
  for (std::size_t i = next_; i < end_; ++i) {
    if (events_[i].data.ptr == static_cast<const Watched*>(&receiver) && ahead_[i - begin_].count != 0) return true;
  }
  return false;
}

bool Epoll::wait(int timeout) noexcept {
  const int count = ::epoll_wait(epoll_.number(), events_.data(), static_cast<int>(events_.size()), timeout);
  count_ = count < 0 ? 0 : static_cast<std::size_t>(count);  // interrupted by a signal: as if nothing had happened
  next_ = end_ = 0;
  return count_ != 0;
}

// What is small is received for several before the first of them answers: the code that receives and the code that
// sends, most of it the kernel's, do not fit into the processor's nearest cache together. That takes 2 % less CPU time.
//
// Who receives by itself when it is told does so into the same buffer, and is the last: all others have been told then.
void Epoll::receive_ahead() noexcept {
  begin_ = end_ = next_;
  std::size_t at = 0;
  std::size_t count = 0;
  do {
    const epoll_event& event = events_[end_];
    auto* const watched = static_cast<Watched*>(event.data.ptr);
    const bool receives = watched != nullptr && watched->receives_ && event.events == EPOLLIN;
    count = receives ? static_cast<Receiver*>(watched)->receive_ahead(at) : 0;
    ahead_[end_ - begin_] = {at, count};
    at += (count + line - 1) / line * line;
    ++end_;
  } while (end_ < count_ && end_ - begin_ < ahead_.size() && count != 0 && count < large && at < most);
}

void Epoll::dispatch() {
  while (next_ < count_) {
    if (next_ >= end_) receive_ahead();
    const epoll_event event = events_[next_];
    const Ahead ahead = ahead_[next_ - begin_];
    ++next_;
    auto* const watched = static_cast<Watched*>(event.data.ptr);
    if (watched == nullptr) continue;
    if (ahead.count != 0) {
      static_cast<Receiver*>(watched)->on_received_ahead(ahead.at, ahead.count);
    } else {
      watched->on_ready(event.events);
    }
  }
}

}  // namespace tern::net
