// The files of the working directory, or of --folder: with listings, ranges, conditional requests and downloads.
//
//   curl http://127.0.0.1:8080/
//   curl --range 0-99 http://127.0.0.1:8080/README.md
//   curl --remote-name --remote-header-name "http://127.0.0.1:8080/download?name=README.md"
#include <tern/tern.hpp>
#include <tern/web.hpp>

#include "flags.hpp"

int main(int argc, char** argv) {
  std::string folder = ".";
  const tern::Options options = examples::options(argc, argv, {{"--folder", folder}});

  tern::App app;
  app.files("/", folder, {.listing = true});
  app.get("/download", [folder](tern::QueryParam<"name", std::string> name) {
    return tern::File::beneath(folder, *name).download();
  });
  return app.run(options);
}
