#include <tern/coro/when.hpp>

#include <tern/coro/context.hpp>

namespace tern::coro {

Group::Group(StopToken outer, Until until) noexcept : stop_(outer), context_(Context::current()), until_(until) {}

void Group::started() noexcept {
  Context::make_current(context_);
}

void Group::ended(std::size_t index, bool failed) noexcept {
  if (!decided() && (failed || until_ == Until::FirstEnds)) {
    decisive_ = index;
    stop_.stop();
  }
  --running_;
  if (running_ == 0 && waiting_.handle) std::exchange(waiting_, {}).handle.resume();  // may destroy this
}

}  // namespace tern::coro
