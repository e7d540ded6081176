// Middleware for deadlines that come with a request.
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/duration.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace tern {

struct DeadlineOptions {
  // The field with the time that the client waits: "250ms", "1.5s", or a number of seconds. Empty: none.
  std::string field = "X-Request-Timeout";
  bool grpc_timeout = false;                 // also takes the field grpc-timeout: "250m", "2S" (of gRPC over HTTP/2)
  Milliseconds min = Milliseconds(10);       // a shorter time gets 504 at once: it cannot be met
  Milliseconds max = Seconds(60);            // a longer one counts as this
  Milliseconds otherwise = Milliseconds(0);  // for requests without the field; zero: no deadline
};

// For an app, a group or a route:
//
//   app.use(tern::Deadline({.max = tern::Seconds(10)}));
//
// At the deadline the handler is stopped: what it waits for throws Cancelled, its statements in databases are
// cancelled, and the client gets 504. Work that cannot be stopped (a function on the pool that has begun) is awaited; a
// response that is complete all the same is sent. A field that is no time gets 400.
class Deadline {
public:
  // Throws SetupError for times that are negative, or a min beyond max.
  explicit Deadline(DeadlineOptions options = {});

  Reply operator()(Request& request, Next next) const;

private:
  DeadlineOptions options_;
};

// What is left of the time of a request within a Deadline, at least zero: to pass on to other services.
std::optional<Milliseconds> time_left(const Request& request);

namespace web {

// "250ms", "1.5s", "2". Nothing for other texts, and for more than a day.
std::optional<Milliseconds> parse_timeout(std::string_view text);
// "8S": at most 8 digits, and one of H, M, S, m, u and n. Rounded up.
std::optional<Milliseconds> parse_grpc_timeout(std::string_view text);

}  // namespace web
}  // namespace tern
