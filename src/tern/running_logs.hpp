// The logs of the apps that run in this process, for tern::log(). The one global of the library beside the running loop
// of each thread: a line of the user's may come from a thread that no app knows.
#pragma once

#include "logging/log.hpp"

namespace tern {

// From any thread. A log is taken out before it is destroyed.
class RunningLogs {
public:
  static void add(logging::Log& log);
  static void remove(logging::Log& log) noexcept;
};

}  // namespace tern
