// A service with a dashboard, for its test and for pictures: dashboard-server --port 0. It has fast and slow routes,
// routes that fail, and steps in its traces.
#include "../../examples/flags.hpp"

#include <tern/http/observer.hpp>
#include <tern/observe.hpp>
#include <tern/tern.hpp>

#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>

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

// A pool of connections without a database.
struct Pool {
  void report(tern::http::FigureSink& sink, std::string_view name) const {
    const tern::http::FigureLabel pool{"db_client_connection_pool_name", name};
    sink.gauge("db_client_connection_count", "", 3, {pool, {"db_client_connection_state", "idle"}});
    sink.gauge("db_client_connection_count", "", 5, {pool, {"db_client_connection_state", "used"}});
    sink.gauge("db_client_connection_pending_requests", "", 2, {pool});
    sink.counter("db_client_connection_timeouts", "", 1, {pool});
    sink.counter("tern_db_statements", "", 1000, {pool, {"outcome", "ok"}});
    sink.counter("tern_db_statements", "", 7, {pool, {"outcome", "error"}});
    sink.counter("tern_db_statements", "", 0, {pool, {"outcome", "cancelled"}});
    sink.counter("tern_db_reconnects", "", 4, {pool});
  }
};

}  // namespace

int main(int argc, char** argv) {
  std::string password;
  tern::Options options = examples::options(argc, argv, {{"--password", password}});
  const Pool pool;
  tern::App app;
  app.get("/books/{id}", [](int id) { return Book{id, "The Arctic Tern"}; });
  app.get("/wait/{ms}", [](std::int64_t ms) -> tern::Task<std::string> {
    co_await tern::sleep_for(tern::Milliseconds(ms));
    co_return "waited";
  });
  app.get("/report/{size}", report);
  app.get("/fails", []() -> std::string { throw std::runtime_error("no disk"); });
  app.admin({.port = 0})
      .check("disk", [] { return true; })
      .check("mail", [] { return false; }, {.critical = false})
      .pool("books", pool);
  app.dashboard("/-/", {.title = "Book <shop>", .password = password, .slow_seconds = 0.1});
  return app.run(options);
}
