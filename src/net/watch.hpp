// A descriptor of another library's, on a loop.
#pragma once

#include "base/counter.hpp"
#include "net/epoll.hpp"

#include <tern/coro/watch.hpp>

#include <cstdint>

namespace tern::net {

class DescriptorWatch final : public Watch, private Watched {
public:
  // `watches` counts the calls of `epoll`.
  DescriptorWatch(Epoll& epoll, base::Counter& watches, int descriptor, Handler& handler) noexcept
      : epoll_(epoll), watches_(watches), handler_(handler), descriptor_(descriptor) {}
  ~DescriptorWatch() override;

  bool want(bool readable, bool writable) noexcept override;

private:
  void on_ready(std::uint32_t events) override;

  Epoll& epoll_;
  base::Counter& watches_;
  Handler& handler_;
  const int descriptor_;
  std::uint32_t events_ = 0;  // that are watched; 0: the descriptor is not registered
};

}  // namespace tern::net
