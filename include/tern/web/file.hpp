// File: a file as the result of a handler.
#pragma once

#include <tern/app/respond.hpp>
#include <tern/web/cache_control.hpp>

#include <string>
#include <utility>

namespace tern {

//   app.get("/report", [] { return tern::File("reports/2026.pdf").download("Report 2026.pdf"); });
//   app.get("/uploads/{name}", [](std::string name) { return tern::File::beneath("uploads", name); });
//
// Opened on the pool after the handler has returned. The response has a type, validators, and the requested ranges;
// conditional requests get a 304 or 412. A file that does not exist, cannot be read, or is not a regular one is a 404.
// A handler may also return std::optional or std::expected of it, or a Task of one of these.
class File {
public:
  // A path of the program, which may lead anywhere: names from clients are for beneath().
  explicit File(std::string path) : path_(std::move(path)) {}
  // A file below `folder`, by a relative path that may come from a client: whatever it is, neither it nor a symlink
  // leaves the folder, and hidden files (".env") are missing.
  static File beneath(std::string folder, std::string path) {
    File file(std::move(path));
    file.folder_ = std::move(folder);
    file.is_beneath_ = true;
    return file;
  }

  // The client saves the content instead of showing it, under this name, or that of the file.
  File& download(std::string name = {}) & {
    name_ = std::move(name);
    downloads_ = true;
    return *this;
  }
  File&& download(std::string name = {}) && { return std::move(download(std::move(name))); }
  // In place of the type by the extension.
  File& type(std::string media_type) & {
    type_ = std::move(media_type);
    return *this;
  }
  File&& type(std::string media_type) && { return std::move(type(std::move(media_type))); }
  File& cache(const CacheControl& control) & {
    cache_control_ = to_field_value(control);
    return *this;
  }
  File&& cache(const CacheControl& control) && { return std::move(cache(control)); }

private:
  friend struct Respond<File>;
  std::string path_;
  std::string folder_;
  std::string name_;
  std::string type_;
  std::string cache_control_;
  bool is_beneath_ = false;
  bool downloads_ = false;
};

template <>
struct Respond<File> {
  static Task<Response> to(File file, Request& request);

private:
  struct Opened;
  static Opened open(const File& file);
};

}  // namespace tern
