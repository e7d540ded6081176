// Durations for options and timers.
//
// libstdc++'s <chrono> includes the calendar and string streams (12,000 lines). Its durations are in a header of their
// own, which <mutex> includes among others. Programs that need clocks and calendars include <chrono> themselves.
#pragma once

#if __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <mutex>
#endif

namespace tern {

using Seconds = std::chrono::seconds;
using Milliseconds = std::chrono::milliseconds;

}  // namespace tern
