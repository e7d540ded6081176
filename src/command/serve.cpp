#include "command/serve.hpp"

#include <tern/web.hpp>

namespace tern::command {

void add_folder(App& app, const ServeOptions& options) {
  if (options.compress) app.use(Compress());
  app.files("/", options.folder, {.fallback = options.fallback, .listing = options.listing});
}

}  // namespace tern::command
