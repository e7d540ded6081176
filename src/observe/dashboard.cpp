// App::dashboard(): the page, and what it asks for.
#include <tern/app/app.hpp>
#include <tern/observe/dashboard.hpp>

#include "base/base64.hpp"
#include "http/hash_source.hpp"
#include "observe/dashboard_text.hpp"
#include "observe/documents.hpp"
#include "observe/in_flight.hpp"
#include "observe/observatory.hpp"

#include <tern/base/ascii.hpp>
#include <tern/coro/scope.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/http/event_stream.hpp>
#include <tern/http/problem.hpp>
#include <tern/json/json.hpp>
#include <tern/version.hpp>

#include <unistd.h>

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {
namespace observe {

struct FlightDocument {
  std::size_t loop = 0;
  std::uint64_t number = 0;
  std::string method;
  std::string route;
  std::string path;
  std::string id;
  std::string remote;
  double seconds = 0;
  std::string awaits;
  std::string chain;
};

// What a loop that answers has to do.
struct LoopRow {
  std::size_t loop = 0;
  std::size_t sockets = 0;
  std::size_t offloaded = 0;
  std::size_t timers = 0;
  std::size_t posted = 0;
  std::vector<http::TimerKind> timer_kinds;
  std::vector<http::NextTimer> next_timers;
};

// What the page needs once.
struct BeginDocument {
  std::vector<double> bounds;  // of latencies, in milliseconds
  std::vector<Moment> moments;
  std::vector<std::pair<std::string, std::string>> configuration;
  std::string version;
  std::int64_t process = 0;
  std::int64_t started = 0;  // in milliseconds since 1970
};

// What it needs each second.
struct NowDocument {
  std::int64_t time = 0;       // in milliseconds since 1970
  std::vector<Moment> moment;  // empty: none yet
  std::map<std::string, double> figures;
  std::vector<RouteTotals> routes;
  std::vector<FlightDocument> flights;
  std::vector<ErrorRow> errors;
  std::vector<LoopRow> loops;
  std::vector<std::size_t> stalled;  // loops that do not answer
  LevelsDocument levels;
  std::uint64_t traces = 0;  // that were kept
  bool draining = false;
  std::string health;  // application/health+json
};

struct CancelDocument {
  std::size_t loop = 0;
  std::uint64_t number = 0;
};

namespace {

constexpr std::size_t max_routes = 200;
constexpr std::size_t max_flights = 100;  // that are shown
constexpr std::size_t max_errors = 20;
constexpr Milliseconds period = Seconds(1);

std::int64_t unix_milliseconds() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

void replace(std::string& page, std::string_view name, std::string_view value) {
  for (std::size_t at = 0; (at = page.find(name, at)) != page.npos; at += value.size())
    page.replace(at, name.size(), value);
}

// Takes as long for every text of one length.
bool equal_secrets(std::string_view one, std::string_view other) noexcept {
  if (one.size() != other.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) difference |= static_cast<unsigned char>(one[i] ^ other[i]);
  return difference == 0;
}

// Refuses clients that must not see the dashboard.
class Door {
public:
  explicit Door(const DashboardOptions& options)
      : remote_(options.remote),
        credentials_(options.password.empty() ? std::string()
                                              : base::to_base64(options.user + ":" + options.password)) {}

  Reply operator()(Request& request, Next next) const {
    if (!remote_ && !is_local(request)) throw HttpError(Status::Forbidden, "the dashboard is for this machine only");
    if (credentials_.empty()) {
      require_own_host(request);
    } else if (!has_password(request)) {
      Problem problem{Status::Unauthorized, "the dashboard has a password", {}, {}};
      problem.fields.set("www-authenticate", R"(Basic realm="dashboard", charset="UTF-8")");
      return request.exchange().refuse(problem);
    }
    // A page of another origin has no business here, whatever the browser adds to its request.
    if (request.field("sec-fetch-site").value_or("none") == "cross-site" && request.method() != Method::Get) {
      throw HttpError(Status::Forbidden, "this request comes from another site");
    }
    return next();
  }

private:
  bool has_password(const Request& request) const {
    constexpr std::string_view scheme = "basic ";
    const std::string_view field = request.field("authorization").value_or("");
    return base::equals_ignoring_case(field.substr(0, scheme.size()), scheme) &&
           equal_secrets(field.substr(scheme.size()), credentials_);
  }

  bool remote_;
  std::string credentials_;
};

class Page {
public:
  explicit Page(const DashboardOptions& options) : page_(dashboard_text.page) {
    replace(page_, "{{title}}", escaped(options.title));
    replace(page_, "{{changes}}", options.changes ? "true" : "false");
    policy_ = "default-src 'none'; script-src " + http::hash_source(dashboard_text.script_sha256) + "; style-src " +
              http::hash_source(dashboard_text.style_sha256) +
              "; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
              "require-trusted-types-for 'script'; trusted-types 'none'";
  }

  Response operator()() const {
    Response response = Response::static_content(media::html, page_);
    response.set("cache-control", "no-cache").set("content-security-policy", policy_);
    response.set("x-content-type-options", "nosniff").set("referrer-policy", "no-referrer");
    return response;
  }

private:
  std::string page_;
  std::string policy_;
};

// Requests to the dashboard itself are not shown.
void add_loops(NowDocument& now, std::vector<LoopDocument> loops, const std::string& own) {
  for (LoopDocument& loop : loops) {
    if (!loop.answers) {
      now.stalled.push_back(loop.loop);
      continue;
    }
    now.loops.push_back({loop.loop, loop.sockets, loop.offloaded, loop.timers, loop.posted, std::move(loop.timer_kinds),
                         std::move(loop.next_timers)});
    for (http::RequestInFlight& one : loop.requests) {
      if (one.path.starts_with(own) || now.flights.size() == max_flights) continue;
      now.flights.push_back({loop.loop, one.number, std::move(one.method), std::move(one.route), std::move(one.path),
                             std::move(one.id), std::move(one.remote), one.seconds, std::move(one.awaits),
                             std::move(one.chain)});
    }
  }
}

Task<std::string> now_document(Observatory& observatory, const std::string& own) {
  http::ServerView& server = running(observatory);
  NowDocument now;
  now.time = unix_milliseconds();
  now.moment = observatory.sampler()->last();
  now.figures = Sampler::figures([&](http::FigureSink& sink) {
    server.report(sink);
    observatory.report_sources(sink);
  });
  now.errors = observatory.errors().rows();
  if (now.errors.size() > max_errors) now.errors.resize(max_errors);
  now.routes = Sampler::routes(observatory.requests(), max_routes);
  now.levels = levels_of(observatory);
  now.traces = observatory.tracer() == nullptr ? 0 : observatory.tracer()->kept();
  now.draining = server.is_draining();
  now.health = observatory.health().answer(Question::Ready, now.draining).document;
  auto loops = co_await look_at_loops(server);
  add_loops(now, std::move(loops), own);
  std::string text;
  json::write(text, now);
  co_return text;
}

std::string begin_document(Observatory& observatory, std::int64_t started) {
  BeginDocument begin;
  for (const std::uint64_t bound : RequestMetrics::bounds) begin.bounds.push_back(static_cast<double>(bound) * 1e-6);
  begin.moments = observatory.sampler()->moments();
  begin.configuration = running(observatory).configuration();
  begin.version = std::to_string(TERN_VERSION_MAJOR) + "." + std::to_string(TERN_VERSION_MINOR) + "." +
                  std::to_string(TERN_VERSION_PATCH);
  begin.process = ::getpid();
  begin.started = started;
  std::string text;
  json::write(text, begin);
  return text;
}

Task<> show(Observatory& observatory, EventStream& events, const std::string& own, std::int64_t started) {
  const std::string begin = begin_document(observatory, started);
  const ServerEvent first{.data = begin, .event = "begin"};
  co_await events.send(first);
  while (true) {
    const std::string now = co_await now_document(observatory, own);
    const ServerEvent event{.data = now, .event = "now"};
    co_await events.send(event);
    co_await sleep_for(period);
  }
}

Task<> sample(Observatory& observatory) {
  while (true) {
    observatory.sampler()->take(observatory.requests(), *observatory.server());
    co_await sleep_for(period);
  }
}

void add_changes(Group& group, Observatory& observatory) {
  group.post("/cancel", [&observatory](Json<CancelDocument> wanted) {
    http::ServerView& server = running(observatory);
    if (wanted->loop >= server.loops()) throw HttpError(Status::NotFound, "there is no such loop");
    server.cancel_request(wanted->loop, wanted->number, [](bool) {});
    return Status::Accepted;
  });
  group.put("/log/level", [&observatory](Json<LevelDocument> wanted) { return set_level(observatory, *wanted); });
}

}  // namespace
}  // namespace observe

Group App::dashboard(PlacedPattern prefix, const DashboardOptions& options) {
  metrics();
  auto& observatory = static_cast<observe::Observatory&>(*observer());
  if (observatory.sampler() != nullptr) add_mistake("dashboard() was called twice", prefix.place);
  if (options.remote && options.password.empty()) {
    add_mistake("a dashboard for remote clients has a password", prefix.place);
  }
  observatory.add_dashboard(Milliseconds(static_cast<std::int64_t>(options.slow_seconds * 1000)));
  std::string own(prefix.text);
  if (own.ends_with('/')) own.pop_back();
  Group group = this->group({own, prefix.place});
  group.use(observe::Door(options));
  group.get("/", observe::Page(options));
  const std::int64_t started = observe::unix_milliseconds();
  group.get("/events", [&observatory, own, started] {
    return event_stream([&observatory, own, started](EventStream& events) -> Task<> {
      return observe::show(observatory, events, own, started);
    });
  });
  group.get("/traces", [&observatory] { return observe::traces_of(observatory); });
  if (options.changes) observe::add_changes(group, observatory);
  on_start([&observatory] { tern::spawn(observe::sample(observatory)); });
  return group;
}

}  // namespace tern
