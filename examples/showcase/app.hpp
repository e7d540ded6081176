// The showcase: Debian's ISO codes as a REST service, and a notebook that clients can write to.
#pragma once

#include "../database/open.hpp"

#include <tern/tern.hpp>

#include <string>

namespace showcase {

// The app without the server. `iso_codes` is the directory with iso_3166-1.json and the other files; throws
// std::runtime_error if they are missing. `database` keeps the notes; its tables are made at the start.
tern::App make_app(const std::string& iso_codes, examples::Database database);

}  // namespace showcase
