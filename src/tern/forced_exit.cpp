#include "tern/forced_exit.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace tern {

ForcedExit::~ForcedExit() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    called_off_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ForcedExit::arm(Milliseconds time) {
  if (thread_.joinable()) return;
  try {
    thread_ = std::thread([this, time] { wait(time); });
  } catch (const std::exception&) {  // no thread available: the caller waits until the work has ended
  }
}

void ForcedExit::wait(Milliseconds time) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, std::chrono::milliseconds(time.count()), [this] { return called_off_; })) return;
  std::fputs("tern: work that cannot be stopped is left behind\n", stderr);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace tern
