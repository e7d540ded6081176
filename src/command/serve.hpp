// tern serve: the files of a folder, over HTTP and HTTPS.
#pragma once

#include <tern/tern.hpp>

#include <string>

namespace tern::command {

struct ServeOptions {
  std::string folder = ".";
  std::string fallback;  // for single-page apps; empty: none
  bool listing = true;
  bool compress = true;
};

// Registers the routes. Mistakes are reported when the app starts.
void add_folder(App& app, const ServeOptions& options);

}  // namespace tern::command
