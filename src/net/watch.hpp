// A descriptor of another library's, in the poller of a loop.
#pragma once

#include "net/poller.hpp"

#include <tern/coro/watch.hpp>

#include <cstdint>

namespace tern::net {

class Counter;

class DescriptorWatch final : public Watch, private Watched {
public:
  // `watches` counts the calls of the poller.
  DescriptorWatch(Poller& poller, Counter& watches, int descriptor, Handler& handler) noexcept
      : poller_(poller), watches_(watches), handler_(handler), descriptor_(descriptor) {}
  ~DescriptorWatch() override;

  bool want(bool readable, bool writable) noexcept override;

private:
  void on_ready(std::uint32_t events) override;

  Poller& poller_;
  Counter& watches_;
  Handler& handler_;
  const int descriptor_;
  std::uint32_t events_ = 0;  // that the poller has been asked for; 0: it does not have the descriptor
};

}  // namespace tern::net
