// Names of functions by their addresses, for stacks and chains of coroutines.
#pragma once

#include <string>

namespace tern::server {

// "name (module+0x…)": the offset is what addr2line takes. The name is that of the module's symbol table, which has
// functions of a file too, as far as the module is not stripped. The first call for a module maps its file. From any
// thread; results are kept.
std::string function_at(const void* address);
// The name alone; "module+0x…" without one.
std::string function_name(const void* address);

}  // namespace tern::server
