// The admin address of an app: metrics, health, and what goes on inside.
#pragma once

#include <tern/app/group.hpp>
#include <tern/base/box.hpp>
#include <tern/base/function.hpp>
#include <tern/coro/work.hpp>
#include <tern/http/tls_options.hpp>
#include <tern/observe/health.hpp>

#include <cstdint>
#include <source_location>
#include <string>
#include <utility>

namespace tern {

namespace http {
class FigureSink;
}
namespace observe {
class Observatory;
}

struct AdminOptions {
  // Of the address. What it shows is not for everyone: beside loopback, only in networks that are trusted. On a
  // loopback address, the host of requests must be an address or "localhost", so that no web page reaches it by a name
  // of its own.
  std::string host = "127.0.0.1";
  std::uint16_t port = 9090;  // 0: a free one, App::port("admin")
  std::string unix_path = {};
  TlsOptions tls = {};
  // Instead of an address: serves below this prefix of the app ("/internal"), inside its middleware.
  std::string prefix = {};
  // Whether clients that are not on this machine may change something (PUT /log/level).
  bool remote_changes = false;
};

// The listener "admin" of an app, or a group of it:
//
//   GET /metrics      for Prometheus, as text or OpenMetrics by Accept; with metrics of requests, connections, loops,
//                     the pool, the process, and those of App::metrics()
//   GET /livez        200 while the process serves
//   GET /readyz       503 while a critical check fails or has not run, and as soon as the shutdown begins
//   GET /startupz     503 until each critical check has passed once
//   GET /routes       all routes
//   GET /requests     requests in flight, the oldest first
//   GET /traces       the last requests whose traces were kept, see App::trace()
//   GET /log/level    {"level": "info", "parts": [{"level": "debug", "part": "tls"}]}; PUT {"level": "debug"} changes
//   it
//                     until the end of the process, with "part": "tls" that of a part, "default" gives it up again
//
// The three of health answer application/health+json, with each check.
class AdminAddress {
public:
  // Adds a check, before the start: a function, or a coroutine, that returns nothing or whether it passes; one that
  // throws has failed. It is called in the background, on the first loop, and its result is kept: no request waits for
  // it.
  template <class F>
  AdminAddress& check(std::string name, F check, CheckOptions options = {}) {
    static_assert(observe::Checkable<F>,
                  "tern: a check takes nothing, and returns nothing or a bool, or a tern::Task<> of these");
    if constexpr (observe::Checkable<F>) {
      add(std::move(name), base::Box<coro::Work>(new observe::CheckWork<F>(std::move(check))), std::move(options));
    }
    return *this;
  }
  // Shows the pool of a database, tern::Sqlite or tern::Postgres, at /metrics under that name. Keeps a copy of it. Any
  // type with a function report(http::FigureSink&, std::string_view) will do. Before the start.
  template <class D>
  AdminAddress& pool(std::string name, const D& database) {
    return add_figures([name = std::move(name), database](http::FigureSink& sink) { database.report(sink, name); });
  }
  // For further routes beside those above.
  Group& routes() noexcept { return group_; }

private:
  friend class App;
  AdminAddress(observe::Observatory& observatory, Group group) noexcept : observatory_(&observatory), group_(group) {}
  void add(std::string name, base::Box<coro::Work> check, CheckOptions options);
  AdminAddress& add_figures(base::Function<void(http::FigureSink&)> source);

  observe::Observatory* observatory_;
  Group group_;
};

}  // namespace tern
