// Decides which requests a loop begins, by how busy it is.
#pragma once

#include "coro/saturation.hpp"

#include <tern/coro/executor.hpp>

#include <cstdint>

namespace tern::web {

enum class Importance : std::uint8_t { Expendable, Normal, Important };

// Of one loop, on its thread.
class LoadGauge final : public Attachment {
public:
  explicit LoadGauge(const void* owner) noexcept : Attachment(owner) {}

  // Before a request begins. The more important one is only looked up when it matters.
  template <class F>
  bool admits(const ExecutorLoad& load, F&& importance) noexcept {
    saturation_.update(load.now, load.idle);
    const std::uint64_t waited = load.now - load.woke;
    const std::uint64_t allowed = saturation_.allowed_wait(load.woke);
    if (waited <= allowed && !saturation_.saturated()) [[likely]]
      return true;
    switch (importance()) {
      case Importance::Expendable: return false;
      case Importance::Normal: return waited <= allowed;
      case Importance::Important: break;
    }
    return waited <= important_share * allowed;
  }

  // Whether the time of the next request is to be measured: of one in 16, and of all under load.
  bool measures() noexcept { return saturation_.saturated() || ++requests_ % 16 == 0; }
  void count(std::uint64_t nanoseconds) noexcept { saturation_.count(nanoseconds); }

  void on_executor_end() noexcept override { delete this; }

private:
  static constexpr std::uint64_t important_share = 4;

  coro::Saturation saturation_;
  std::uint64_t requests_ = 0;
};

}  // namespace tern::web
