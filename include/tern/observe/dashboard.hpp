// The dashboard of an app: one page that shows what goes on inside, live.
#pragma once

#include <string>

namespace tern {

// App::dashboard("/-", options): the page at "/-/". It shows requests, latencies and responses of the last minutes,
// loops, pool and memory; routes; requests in flight, with a button that stops one; the slowest requests with their
// spans; errors and refusals; checks of App::admin(), log levels, the configuration.
//
// Without a password, only clients on this machine are served, by an address or as "localhost". Beyond the app's
// middleware, which it is inside of, it has a Content-Security-Policy without exceptions, and loads nothing from
// elsewhere. If the app has no trace(), it keeps the traces of failed requests, and of those that take longer than
// `slow`.
struct DashboardOptions {
  std::string title = "Dashboard";
  // Required of every client, by HTTP Basic (RFC 7617), unless it is empty. Only over TLS, or in a trusted network.
  std::string password = {};
  std::string user = "admin";
  bool remote = false;        // also serves clients that are not on this machine; with a password only
  bool changes = true;        // with buttons that stop requests and change log levels
  double slow_seconds = 0.5;  // of traces, if the app has no trace()
};

}  // namespace tern
