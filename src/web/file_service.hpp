// Serves the files of a folder: Group::files().
//
// Life of a request: serve() takes the decoded path behind the prefix. A resource that was looked at within the last
// second comes from the cache, on the loop. Otherwise load() opens the file and its siblings on the pool, and enters
// the resource into the cache. respond() in resource.cpp evaluates the conditions and ranges of the request.
#pragma once

#include "web/file_cache.hpp"
#include "web/folder.hpp"
#include "web/resource.hpp"

#include <tern/http/reply.hpp>
#include <tern/http/request.hpp>
#include <tern/web/files.hpp>

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

// Used by all loops concurrently.
class FileService {
public:
  // Throws std::system_error if the folder cannot be opened, and std::invalid_argument for contradictory options.
  FileService(const std::string& folder, FileOptions options);

  // The last parameter of the request is the path. The service outlives the reply's task.
  Reply serve(Request& request);

private:
  struct Loaded {
    Status status = Status::Ok;
    SharedResource resource = {};
    int error = 0;  // an errno, where there is no resource
  };

  Task<Response> serve_later(Request& request, std::string_view path);
  Loaded load(std::string_view path);
  std::expected<SharedResource, int> load_path(const std::string& path);
  std::expected<SharedResource, int> make_resource(const std::string& path, const SharedResource& previous) const;
  std::expected<SharedResource, int> make_folder(const std::string& path, OpenFile folder,
                                                 const SharedResource& previous) const;
  SharedResource make_file(const std::string& path, OpenFile file, const SharedResource& previous) const;
  std::string_view media_type(std::string_view path) const;
  std::string cache_control(std::string_view path, std::string_view media_type) const;

  const Folder folder_;
  const FileOptions options_;
  std::vector<std::string> cache_controls_;  // of options_.cache
  FileCache cache_;
};

// Whether the name has a hash of its content, as bundlers write it: "app-3f9a61c2.js", "index.BkR3xq1Z.css".
bool has_content_hash(std::string_view path) noexcept;

// Whether the text matches the pattern, where '*' is any text.
bool matches_pattern(std::string_view pattern, std::string_view text) noexcept;

// The problem for a file that cannot be opened.
Problem problem_of(int error);

}  // namespace tern::web
