// Durations for options and timers.
//
// libstdc++'s <chrono> includes the calendar and string streams (12,000 lines); <mutex> includes only the durations.
// Programs that need clocks and calendars include <chrono> themselves.
#pragma once

#include <mutex>  // for std::chrono::duration

namespace tern {

using Seconds = std::chrono::seconds;
using Milliseconds = std::chrono::milliseconds;

}  // namespace tern
