// What a component sees of a server: its figures, its requests, and its start and end.
#pragma once

#include <tern/base/function.hpp>
#include <tern/http/log_options.hpp>
#include <tern/http/status.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

class Exchange;

namespace http {

struct FigureLabel {
  std::string_view name;
  std::string_view value;
};

// Receives figures. Names are snake_case, with the unit and without a suffix for their kind: "tern_loop_busy_seconds".
// Figures of one name follow each other.
class FigureSink {
public:
  using Labels = std::initializer_list<FigureLabel>;

  virtual void counter(std::string_view name, std::string_view help, double value, Labels labels = {}) = 0;
  virtual void gauge(std::string_view name, std::string_view help, double value, Labels labels = {}) = 0;
  // `counts` has one more than `bounds`: how many were at most each bound and above the one before, and the rest.
  virtual void histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                         std::span<const std::uint64_t> counts, double sum, Labels labels = {}) = 0;

protected:
  ~FigureSink() = default;
};

// A request in flight.
struct RequestInFlight {
  std::string method;
  std::string path;
  std::string route;   // empty: none
  std::string id;      // empty: none
  std::string remote;  // the client's address
  double seconds = 0;  // since its head had arrived
  std::string awaits;  // what its handler waits for: "pool", "database", "timer", "client"…; empty: it runs, or unknown
  std::uint64_t number = 0;  // of the loop's requests
  std::string chain;         // where its coroutines wait: "pool: load < report"; empty: unknown, or not looked up
};

// An armed timer of a loop.
struct NextTimer {
  std::uint64_t milliseconds = 0;  // until it is due
  std::string what;                // "head", "keep-alive", "sleep: poll < report", "every: jobs.cpp:42"…
};

// How many armed timers are for the same.
struct TimerKind {
  std::string what;
  std::size_t count = 0;
};

// What a loop has to do.
struct LoopState {
  std::size_t sockets = 0;
  std::size_t offloaded = 0;  // functions that it has given to the pool and that have not ended
  std::size_t timers = 0;     // that are armed
  std::size_t posted = 0;     // functions that were posted to it and have not begun; counted up to 100,000
  std::vector<RequestInFlight> requests = {};  // the oldest first
  std::vector<TimerKind> timer_kinds = {};     // the most frequent first; without those that will do nothing
  std::vector<NextTimer> next_timers = {};     // the soonest first, at most 20
};

// A running server. From any thread.
class ServerView {
public:
  // Reports what the server counts about itself. Reads counters that its threads are changing: each is right, though
  // two of them may not fit each other.
  virtual void report(FigureSink& sink) const = 0;
  virtual bool is_draining() const noexcept = 0;
  // What it runs with: names of options and their values, without secrets.
  virtual std::vector<std::pair<std::string, std::string>> configuration() const = 0;
  virtual std::size_t loops() const noexcept = 0;
  // Calls `then` on the thread of that loop with what it does, and with at most `max` of its requests in flight. `then`
  // is destroyed without a call if the loop has ended.
  virtual void look_at(std::size_t loop, std::size_t max, base::Function<void(LoopState)> then) = 0;
  // Stops the handler of a request in flight, as if its client had disconnected, though it gets the response. Calls
  // `then` on the thread of that loop with whether there was such a request.
  virtual void cancel_request(std::size_t loop, std::uint64_t number, base::Function<void(bool)> then) = 0;
  // A line of the error log.
  virtual void log(LogLevel level, std::string_view line) noexcept = 0;
  virtual LogLevel log_level() const noexcept = 0;
  virtual std::vector<PartLevel> part_levels() const = 0;
  // See App::set_log_level().
  virtual bool set_log_level(std::optional<LogLevel> level, std::string_view part) = 0;

protected:
  ~ServerView() = default;
};

struct ObservedRoute {
  std::string method;
  std::string pattern;
  std::string name;      // empty: none
  std::string listener;  // empty: the app's own
};

// How a request has ended.
struct RequestEnd {
  Status status = Status::Ok;
  std::size_t bytes = 0;          // of the response's content
  std::uint64_t nanoseconds = 0;  // from the complete head to the complete response
  std::uint64_t received = 0;     // bytes of the request's content
};

// One for each app. A mounted app has none.
class Observer {
public:
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  // When the registration is over: all routes, by Request::route_index().
  virtual void on_complete(std::vector<ObservedRoute> routes) = 0;
  // Before the loops run, and after they have ended; the server exists in between.
  virtual void on_start(ServerView& server) = 0;
  virtual void on_stop() noexcept = 0;

  // On the loop of the exchange. Every begin is followed by an end, or by on_abandoned() if the client has disconnected
  // before; for a WebSocket, its handshake is the request. A rejected request that could not be parsed has no method.
  virtual void on_request(Exchange& exchange) noexcept = 0;
  virtual void on_response(Exchange& exchange, const RequestEnd& end) noexcept = 0;
  virtual void on_abandoned(Exchange& exchange) noexcept = 0;
  // A line of level Error for a request, such as the text of an exception. On any thread.
  virtual void on_error(Exchange&, std::string_view) noexcept {}

protected:
  Observer() = default;
};

}  // namespace http
}  // namespace tern
