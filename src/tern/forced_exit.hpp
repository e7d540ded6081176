// Ends the process when App::run() does not return soon after a second signal: a handler that blocks its thread, on a
// loop or on the pool, cannot be stopped, and its objects must not be destroyed.
#pragma once

#include <tern/base/duration.hpp>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace tern {

class ForcedExit {
public:
  ForcedExit() = default;
  ForcedExit(const ForcedExit&) = delete;
  ForcedExit& operator=(const ForcedExit&) = delete;
  // Cancels it.
  ~ForcedExit();

  // Ends the process after `time` with status 1, without destructors and atexit() functions. Only the first call has an
  // effect.
  void arm(Milliseconds time);

private:
  void wait(Milliseconds time);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool called_off_ = false;
  std::thread thread_;
};

}  // namespace tern
