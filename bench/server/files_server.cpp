// The files of a folder as `script/bench files` measures them: with siblings, and compressed while they are sent below
// /dynamic.
#include <tern/tern.hpp>
#include <tern/web.hpp>

#include "../../examples/flags.hpp"

int main(int argc, char** argv) {
  std::string folder = ".";
  const tern::Options options = examples::options(argc, argv, {{"--folder", folder}});

  tern::App app;
  app.files("/", folder);
  app.files("/dynamic", folder + "/dynamic", {.precompressed = false}).use(tern::Compress());
  return app.run(options);
}
