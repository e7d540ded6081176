// Middleware that limits how many requests are served at the same time.
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>

#include <cstddef>

namespace tern {

namespace web {
class ConcurrencyGate;
}

struct ConcurrencyLimitOptions {
  std::size_t limit = 64;              // requests that are served at the same time
  std::size_t queue = 0;               // requests that may wait for a place
  Milliseconds max_wait = Seconds(1);  // how long each of them waits
  Seconds retry_after = Seconds(1);    // Retry-After of a 503
};

// For an app, a group or a route, against more work than a database or a computation can take:
//
//   app.get("/report", report).use(tern::ConcurrencyLimit({.limit = 4, .queue = 100}));
//
// Beyond the limit, requests wait in the order of their arrival; beyond the queue or the time, they get 503 with
// Retry-After. A request that waits has no thread and no content in memory, and leaves the queue when its client
// disconnects. A place is free again when the response is complete; that of a streamed response or a file, when its
// content was sent; that of a WebSocket, when the handshake was answered. One ConcurrencyLimit is one limit for all its
// routes, on all loops of this process.
class ConcurrencyLimit {
public:
  // Throws SetupError for a limit of zero, a negative max_wait, and a retry_after that is not from 1 second to a day.
  explicit ConcurrencyLimit(const ConcurrencyLimitOptions& options);

  Reply operator()(Request& request, Next next) const;

private:
  base::Box<web::ConcurrencyGate> gate_;
};

}  // namespace tern
