// Middleware that refuses requests while a server is overloaded, so that it can serve the others quickly.
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>

#include <string>
#include <vector>

namespace tern {

namespace web {
class LoadShedder;
}

struct LoadSheddingOptions {
  std::vector<std::string> important = {};   // patterns of routes that are refused last: "/health", "/pay/{id}"
  std::vector<std::string> expendable = {};  // that are refused first
  Seconds retry_after = Seconds(1);          // Retry-After of a 503
};

// For an app, outermost:
//
//   app.use(tern::LoadShedding({.important = {"/checkout"}, .expendable = {"/report/{id}"}}));
//
// While a loop has no rest (less than 5 % of the last 100 ms), a request that has waited longer for its begin than a
// request takes on average gets 503 with Retry-After at once. An important one may wait four times as long; an
// expendable one is refused as long as this lasts. Otherwise a request may wait for 100 ms, so that bursts are served.
// The admin address is outside of the app's middleware: its requests are never refused.
//
// This is about work on loops. Work on the pool is refused by PoolOptions::sheds_load.
class LoadShedding {
public:
  // Throws SetupError for a retry_after that is not from 1 second to a day, or a pattern that does not begin with '/'.
  explicit LoadShedding(LoadSheddingOptions options = {});

  Reply operator()(Request& request, Next next) const;

private:
  base::Box<web::LoadShedder> shedder_;
};

}  // namespace tern
