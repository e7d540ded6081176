#include <tern/coro/when.hpp>

namespace tern::coro {

void Group::ended(std::size_t index, bool failed) noexcept {
  if (!decided() && (failed || until_ == Until::FirstEnds)) {
    decisive_ = index;
    stop_.stop();
  }
  --running_;
  if (running_ == 0 && waiting_) std::exchange(waiting_, nullptr).resume();  // may destroy this
}

}  // namespace tern::coro
