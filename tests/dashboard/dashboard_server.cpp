// A service with a dashboard, for its test and for pictures: dashboard-server --port 0. It has fast and slow routes,
// routes that fail, and steps in its traces.
#include "../../examples/flags.hpp"

#include <tern/observe.hpp>
#include <tern/tern.hpp>

#include <poll.h>
#include <stdexcept>
#include <string>

namespace {

struct Book {
  int id = 0;
  std::string title;
};

tern::Task<std::string> report(tern::Request& request, int size) {
  tern::Span load = tern::span(request, "load rows");
  load.set("rows", size);
  co_await tern::sleep_for(tern::Milliseconds(30));
  load.end();
  const tern::Span render = tern::span(request, "render");
  const auto work = [step = render.child("draw")] { ::poll(nullptr, 0, 40); };
  co_await tern::offload(work);
  co_await tern::sleep_for(tern::Milliseconds(size));
  co_return "done";
}

}  // namespace

int main(int argc, char** argv) {
  std::string password;
  tern::Options options = examples::options(argc, argv, {{"--password", password}});
  tern::App app;
  app.get("/books/{id}", [](int id) { return Book{id, "The Arctic Tern"}; });
  app.get("/wait/{ms}", [](std::int64_t ms) -> tern::Task<std::string> {
    co_await tern::sleep_for(tern::Milliseconds(ms));
    co_return "waited";
  });
  app.get("/report/{size}", report);
  app.get("/fails", []() -> std::string { throw std::runtime_error("no disk"); });
  app.admin({.port = 0}).check("disk", [] { return true; }).check("mail", [] { return false; }, {.critical = false});
  app.dashboard("/-/", {.title = "Book <shop>", .password = password, .slow_seconds = 0.1});
  return app.run(options);
}
