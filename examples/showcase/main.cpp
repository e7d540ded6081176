// Starts the showcase and prints some requests to try.
//
//   showcase --database notes.db                             the file with the notes; ":memory:" forgets them
//   showcase --database postgresql://user@host/name          or a PostgreSQL database
#include "app.hpp"

#include "../flags.hpp"

#include <cstdio>
#include <exception>
#include <utility>

namespace {

void welcome(const std::string& address, const std::string& database) {
  const char* at = address.c_str();
  std::printf(
      "\nThe Tern showcase is at  http://%s/  (open it in a browser). Or try:\n\n"
      "  curl 'http://%s/countries?name=land&limit=3'\n"
      "  curl http://%s/countries/FR\n"
      "  curl 'http://%s/subdivisions?country=CA&type=province'\n"
      "  curl 'http://%s/languages?q=frisian'\n"
      "  curl http://%s/currencies/EUR\n"
      "  curl --json '{\"title\":\"Feed the terns\",\"tags\":[\"birds\"]}' http://%s/notes\n"
      "\nThe notes are in %s.\nCtrl-C ends it.\n\n",
      at, at, at, at, at, at, at, database.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::string address = "notes.db";
  tern::Options options = examples::options(argc, argv, {{"--database", address}});
  options.logging.level = tern::LogLevel::Warning;  // the address is printed below
  try {
    examples::Database database = examples::open_database(address);
    const std::string name = database.name;
    tern::App app = showcase::make_app(TERN_ISO_CODES_DIR, std::move(database));
    app.on_start([&] { welcome(app.address(), name); });
    return app.run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "showcase: %s\n", error.what());
    return 1;
  }
}
