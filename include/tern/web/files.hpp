// App::files() and Group::files(): the files of a folder.
#pragma once

#include <tern/app/app.hpp>
#include <tern/web/cache_control.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace tern {

// The media type of files with that extension ("glb", in lower case).
struct FileType {
  std::string extension;
  std::string media_type;
};

// Cache-Control of the files whose path within the folder matches `pattern`, where '*' is any text: "*.woff2",
// "images/*".
struct FileCacheRule {
  std::string pattern;
  CacheControl control;
};

// app.files("/assets", "dist", {.fallback = "index.html"}). Paths of files are relative to the folder.
struct FileOptions {
  // Served for a folder, the first that exists.
  std::vector<std::string> index = {"index.html"};
  // For single-page apps: served with 200 for a path without a file, if its last segment has no dot (a missing script
  // stays a 404). Empty: none.
  std::string fallback = {};
  // The content of a 404, a file. Empty: a problem, like every other 404.
  std::string not_found = {};
  // Whether a folder without an index file is answered with a list of its files.
  bool listing = false;
  // Whether "app.js.br", "app.js.zst" and "app.js.gz" are sent in place of "app.js" to clients that accept the coding.
  // One that is older than its file is not.
  bool precompressed = true;
  // Whether a name with a content hash ("app-3f9a61c2.js") makes a file immutable for a year.
  bool hashed_names = true;
  // The first that matches; otherwise "no-cache" for HTML, the above for hashed names, and no field for other files.
  std::vector<FileCacheRule> cache = {};
  // In addition to the common media types, and preferred to them.
  std::vector<FileType> types = {};
  // Files of at most this many bytes are kept in memory, together at most so many.
  std::size_t max_cached_file = 64 * 1024;
  std::size_t max_cached_bytes = 64 * 1024 * 1024;
  // Larger ones are kept open, at most so many.
  std::size_t max_open_files = 256;
};

}  // namespace tern
