// The page of tern dev while there is no program: that it is being built, or why it was not.
#pragma once

#include <tern/app/app.hpp>

#include <string>
#include <string_view>

namespace tern::command {

struct BuildPage {
  std::string title;        // "The build failed"
  std::string output;       // of the compiler, perhaps with colours of a terminal; empty: none is shown
  std::string folder = {};  // of the project, with "/" at the end: errors name files from there
};

// For browsers; the lines with errors come first.
std::string as_html(const BuildPage& page);
// Answers every request with it and 503: as HTML if the client accepts that, and as text otherwise.
void add_build_page(App& app, const BuildPage& page);

// Without escape sequences of terminals (ECMA-48, section 5.4).
std::string without_colours(std::string_view text);

}  // namespace tern::command
