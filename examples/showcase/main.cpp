// Starts the showcase and prints some requests to try.
#include "app.hpp"

#include "../flags.hpp"

#include <cstdio>
#include <exception>

namespace {

void welcome(const std::string& address) {
  const char* at = address.c_str();
  std::printf(
      "\nThe Tern showcase is at  http://%s/  (open it in a browser). Or try:\n\n"
      "  curl 'http://%s/countries?name=land&limit=3'\n"
      "  curl http://%s/countries/FR\n"
      "  curl 'http://%s/subdivisions?country=CA&type=province'\n"
      "  curl 'http://%s/languages?q=frisian'\n"
      "  curl http://%s/currencies/EUR\n"
      "  curl --json '{\"title\":\"Feed the terns\",\"tags\":[\"birds\"]}' http://%s/notes\n"
      "\nCtrl-C ends it.\n\n",
      at, at, at, at, at, at, at);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  tern::Options options = examples::options(argc, argv);
  options.logging.level = tern::LogLevel::Warning;  // the address is printed below
  try {
    tern::App app = showcase::make_app(TERN_ISO_CODES_DIR);
    app.on_start([&app] { welcome(app.address()); });
    return app.run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "showcase: %s\n", error.what());
    return 1;
  }
}
