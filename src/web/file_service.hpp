// Serves the files of a source: Group::files().
//
// Life of a request: serve() takes the decoded path behind the prefix. What the source knows is served on the loop:
// files of the program, files of a folder that are unchanged as far as the kernel can tell at once, and the answer for
// a missing path. Otherwise the source loads it on the pool. respond() in resource.cpp evaluates the conditions and
// ranges of the request.
#pragma once

#include "web/file_source.hpp"
#include "web/resource.hpp"

#include <tern/base/box.hpp>
#include <tern/http/reply.hpp>
#include <tern/http/request.hpp>
#include <tern/web/files.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace tern::web {

// Used by all loops concurrently.
class FileService {
public:
  FileService(base::Box<FileSource> source, const FileOptions& options);

  // The last parameter of the request is the path. The service outlives the reply's task.
  Reply serve(Request& request);

private:
  struct Loaded {
    Status status = Status::Ok;
    SharedResource resource = {};
    int error = 0;  // an errno, where there is no resource
  };

  Reply serve_loaded(Request& request, std::string_view path);
  Task<Response> serve_later(Request& request, std::string_view path);
  static Response respond_to(Request& request, Loaded loaded);
  Loaded load(std::string_view path);
  Loaded load_substitute(std::string_view path, int error);
  std::optional<Loaded> find_substitute(std::string_view path);
  bool falls_back(std::string_view path) const noexcept;

  const base::Box<FileSource> source_;
  const std::string fallback_;
  const std::string not_found_;
};

// The problem for a file that cannot be opened.
Problem problem_of(int error);

}  // namespace tern::web
