// tern bench: what it prints.
#pragma once

#include "load/run.hpp"

#include <string>

namespace tern::command {

// For people: a few lines.
std::string as_text(const load::LoadOptions& options, const load::LoadReport& report);
// For programs: an object, in one line.
std::string as_json(const load::LoadOptions& options, const load::LoadReport& report);

}  // namespace tern::command
