// Ends the process when App::run() does not return soon enough after a second signal: a handler that blocks its thread
// cannot be stopped, neither on a loop nor on the pool, and everything that it uses must stay until it returns.
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
  // Calls it off.
  ~ForcedExit();

  // After `time` the process ends with status 1: no destructor runs and nothing registered with atexit(). Calls after
  // the first do nothing.
  void arm(Milliseconds time);

private:
  void wait(Milliseconds time);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool called_off_ = false;
  std::thread thread_;
};

}  // namespace tern
