// What the kernel says of this process, by the names that Prometheus's clients use.
#pragma once

#include <tern/http/observer.hpp>

namespace tern::observe {

// Reads /proc/self: not on a loop, since a process may have a million descriptors. What cannot be read is left out.
void report_process(http::FigureSink& sink);

}  // namespace tern::observe
