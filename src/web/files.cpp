#include <tern/web/files.hpp>

#include "web/file_service.hpp"

#include <exception>
#include <memory>

namespace tern {
namespace {

// Throws std::exception, with the reason, if it cannot be made.
app::Endpoint make_endpoint(const std::string& folder, const FileOptions& options) {
  return app::bind([service = std::make_shared<web::FileService>(folder, options)](Request& request) -> Reply {
    return service->serve(request);
  });
}

}  // namespace

Group Group::files(PlacedPattern prefix, std::string_view folder) {
  return files(prefix, folder, FileOptions{});
}

Group Group::files(PlacedPattern prefix, std::string_view folder, const FileOptions& options) {
  Group files = group(prefix);
  const PlacedPattern pattern("/{path...}", prefix.place);
  std::string mistake;
  app::Endpoint endpoint;
  try {
    endpoint = make_endpoint(std::string(folder), options);
  } catch (const std::exception& error) {
    mistake = "the folder '" + std::string(folder) + "' cannot be served: " + error.what();
    endpoint.mistake = mistake;  // which is read during the call
  }
  files.add(Method::Get, pattern, std::move(endpoint));
  return files;
}

Group App::files(PlacedPattern prefix, std::string_view folder) {
  return root_.files(prefix, folder);
}

Group App::files(PlacedPattern prefix, std::string_view folder, const FileOptions& options) {
  return root_.files(prefix, folder, options);
}

}  // namespace tern
