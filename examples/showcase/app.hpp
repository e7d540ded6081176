// The showcase: Debian's ISO codes as a REST service, and a notebook that can be written to.
#pragma once

#include <tern/tern.hpp>

#include <string>

namespace showcase {

// Everything but the server. `iso_codes` is the directory with iso_3166-1.json and the others; throws
// std::runtime_error when they are not there.
tern::App make_app(const std::string& iso_codes);

}  // namespace showcase
