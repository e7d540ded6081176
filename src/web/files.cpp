#include <tern/web/files.hpp>

#include "web/embedded_source.hpp"
#include "web/file_service.hpp"
#include "web/folder_source.hpp"

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace tern {
namespace {

app::Endpoint serving(base::Box<web::FileSource> source, const FileOptions& options) {
  return app::bind([service = std::make_shared<web::FileService>(std::move(source), options)](
                       Request& request) -> Reply { return service->serve(request); });
}

// `make` returns the source of the files, or throws std::exception with the reason, which becomes a mistake of the
// setup.
template <class Make>
app::Endpoint make_endpoint(std::string& mistake, std::string_view what, const FileOptions& options, Make make) {
  try {
    return serving(make(), options);
  } catch (const std::exception& error) {
    mistake = std::string(what) + " cannot be served: " + error.what();
    app::Endpoint endpoint;
    endpoint.mistake = mistake;
    return endpoint;
  }
}

}  // namespace

Group Group::add_files(const PlacedPattern& prefix, app::Endpoint endpoint) {
  Group files = group(prefix);
  files.add(Method::Get, {"/{path...}", prefix.place}, std::move(endpoint));
  return files;
}

Group Group::files(PlacedPattern prefix, std::string_view folder) {
  return files(prefix, folder, FileOptions{});
}

Group Group::files(PlacedPattern prefix, std::string_view folder, const FileOptions& options) {
  std::string mistake;
  return add_files(prefix, make_endpoint(mistake, "the folder '" + std::string(folder) + "'", options, [&] {
                     return base::Box<web::FileSource>(new web::FolderSource(std::string(folder), options));
                   }));
}

Group Group::files(PlacedPattern prefix, const EmbeddedFolder& folder) {
  return files(prefix, folder, FileOptions{});
}

Group Group::files(PlacedPattern prefix, const EmbeddedFolder& folder, const FileOptions& options) {
  std::string mistake;
  return add_files(prefix, make_endpoint(mistake, "the embedded folder", options, [&] {
                     return base::Box<web::FileSource>(new web::EmbeddedSource(folder, options));
                   }));
}

Group App::files(PlacedPattern prefix, std::string_view folder) {
  return root_.files(prefix, folder);
}

Group App::files(PlacedPattern prefix, std::string_view folder, const FileOptions& options) {
  return root_.files(prefix, folder, options);
}

Group App::files(PlacedPattern prefix, const EmbeddedFolder& folder) {
  return root_.files(prefix, folder);
}

Group App::files(PlacedPattern prefix, const EmbeddedFolder& folder, const FileOptions& options) {
  return root_.files(prefix, folder, options);
}

}  // namespace tern
