// epoll, level-triggered: which descriptors are ready, told to the objects that watch them. Descriptors are registered
// once and stay; epoll_ctl is not on the way of a request.
#pragma once

#include "net/descriptor.hpp"
#include "net/poller.hpp"

#include <sys/epoll.h>
#include <array>

namespace tern::net {

class Epoll final : public Poller {
public:
  Epoll();  // throws std::system_error when the kernel gives no epoll instance

  int add(int descriptor, Watched& watched, std::uint32_t events) noexcept override;
  int change(int descriptor, Receiver& receiver, std::uint32_t events) noexcept override;
  void remove(int descriptor, Watched& watched) noexcept override;
  bool holds(const Receiver& receiver) const noexcept override;
  bool receives(const Receiver&) const noexcept override { return false; }
  void again(Receiver&) override {}  // it is told as long as it lasts

  bool wait(int timeout) noexcept override;
  const Watched* alone() const noexcept override {
    return count_ == 1 ? static_cast<const Watched*>(events_[0].data.ptr) : nullptr;
  }
  void dispatch() override;

private:
  struct Ahead {
    std::size_t at;  // in the loop's buffer
    std::size_t count;
  };

  void receive_ahead() noexcept;

  Descriptor epoll_;
  std::array<epoll_event, 256> events_;
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  // What the events from `begin_` to `end_` have received before any of them is told.
  std::array<Ahead, 32> ahead_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace tern::net
