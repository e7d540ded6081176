// Durations for options and timers.
//
// libstdc++'s <chrono> brings the calendar and string streams with it (12,000 lines); <mutex> needs durations and
// brings only those. Programs that want clocks and calendars include <chrono> themselves.
#pragma once

#include <mutex>  // for std::chrono::duration

namespace tern {

using Seconds = std::chrono::seconds;
using Milliseconds = std::chrono::milliseconds;

}  // namespace tern
