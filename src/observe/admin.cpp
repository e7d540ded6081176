// App::admin() and App::metrics(): the routes of the admin address.
#include <tern/app/app.hpp>
#include <tern/observe/admin.hpp>
#include <tern/observe/tracing.hpp>

#include "observe/in_flight.hpp"
#include "observe/observatory.hpp"
#include "observe/trace_context.hpp"

#include <tern/coro/scope.hpp>
#include <tern/http/problem.hpp>
#include <tern/json/json.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {
namespace observe {

struct LevelDocument {
  std::string level;
};
// A step of a request, for /traces.
struct SpanDocument {
  std::string trace_id;
  std::string span_id;
  std::string parent_id;
  std::string name;
  double start = 0;  // seconds since 1970
  double milliseconds = 0;
  std::string fault;
};

namespace {

constexpr std::array<std::pair<LogLevel, std::string_view>, 5> levels = {{{LogLevel::Debug, "debug"},
                                                                          {LogLevel::Info, "info"},
                                                                          {LogLevel::Warning, "warning"},
                                                                          {LogLevel::Error, "error"},
                                                                          {LogLevel::Off, "off"}}};

bool is_loopback(std::string_view host) noexcept {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

// Whether it is no name of the public DNS.
bool is_own_host(std::string_view host) noexcept {
  if (host.starts_with('[')) return true;
  host = host.substr(0, host.find(':'));
  const bool is_address = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host.empty() || is_address || host == "localhost";
}

// Protects a loopback address from web pages whose name was made to lead to it (DNS rebinding).
struct OwnHostOnly {
  Reply operator()(Request& request, Next next) const {
    if (is_own_host(request.host())) return next();
    throw HttpError(Status::MisdirectedRequest, "this address is served by its number, or as localhost");
  }
};

Response health_response(const Observatory& observatory, Question question) {
  const bool draining = observatory.server() != nullptr && observatory.server()->is_draining();
  HealthAnswer answer = const_cast<Observatory&>(observatory).health().answer(question, draining);
  Response response = Response::bytes("application/health+json", std::move(answer.document));
  response.status(answer.passes ? Status::Ok : Status::ServiceUnavailable);
  response.set("cache-control", "no-store");
  return response;
}

std::vector<std::vector<SpanDocument>> traces_of(const Observatory& observatory) {
  std::vector<std::vector<SpanDocument>> result;
  if (observatory.tracer() == nullptr) return result;
  for (const auto& spans : observatory.tracer()->recent()) {
    auto& request = result.emplace_back();
    for (const FinishedSpan& span : spans) {
      const double start = static_cast<double>(span.start) * 1e-9;
      request.push_back({hex(span.trace), hex(span.id), hex(span.parent), span.name, start,
                         static_cast<double>(span.end - span.start) * 1e-6, span.failed ? span.fault : std::string()});
    }
  }
  return result;
}

http::ServerView& running(const Observatory& observatory) {
  if (observatory.server() == nullptr) throw HttpError(Status::ServiceUnavailable, "no server runs");
  return *observatory.server();
}

LevelDocument level_of(const Observatory& observatory) {
  const LogLevel level = running(observatory).log_level();
  return {std::string(std::ranges::find(levels, level, &std::pair<LogLevel, std::string_view>::first)->second)};
}

LevelDocument set_level(const Observatory& observatory, const Request& request, const LevelDocument& wanted,
                        bool remote_changes) {
  const std::string_view remote = request.remote();
  if (!remote_changes && !is_loopback(remote) && !remote.starts_with("unix:")) {
    throw HttpError(Status::Forbidden, "only clients on this machine may change something");
  }
  const auto level = std::ranges::find(levels, wanted.level, &std::pair<LogLevel, std::string_view>::second);
  if (level == levels.end()) {
    throw HttpError(Status::UnprocessableContent, "level is one of debug, info, warning, error and off");
  }
  running(observatory).set_log_level(level->first);
  return level_of(observatory);
}

void add_routes(Group& group, Observatory& observatory, bool remote_changes) {
  group.get("/metrics",
            [&observatory](const Request& request) -> Task<Response> { return observatory.exposition(request); });
  for (const auto& [path, question] : {std::pair("/livez", Question::Alive), std::pair("/readyz", Question::Ready),
                                       std::pair("/startupz", Question::Started)}) {
    group.get(runtime(path), [&observatory, question] { return health_response(observatory, question); });
  }
  group.get("/routes", [&observatory] { return observatory.routes(); });
  group.get("/requests",
            [&observatory]() -> Task<std::vector<LoopRequests>> { return requests_in_flight(running(observatory)); });
  group.get("/traces", [&observatory] { return traces_of(observatory); });
  group.get("/log/level", [&observatory] { return level_of(observatory); });
  group.put("/log/level", [&observatory, remote_changes](const Request& request, Json<LevelDocument> wanted) {
    return set_level(observatory, request, *wanted, remote_changes);
  });
}

}  // namespace
}  // namespace observe

void AdminAddress::add(std::string name, base::Box<coro::Work> check, CheckOptions options) {
  observatory_->health().add(std::move(name), std::move(check), std::move(options));
}

Metrics& App::metrics() {
  if (observer() == nullptr) set_observer(base::Box<http::Observer>(new observe::Observatory()));
  return static_cast<observe::Observatory*>(observer())->metrics();
}

App& App::trace(TracingOptions options) {
  metrics();
  auto& observatory = static_cast<observe::Observatory&>(*observer());
  if (observatory.tracer() != nullptr) throw SetupError("trace() was called twice");
  observatory.trace(std::move(options));
  on_start([&observatory] { tern::spawn(observatory.tracer()->run()); });
  return on_stop([&observatory] { return observatory.tracer()->flush(); });
}

AdminAddress App::admin(const AdminOptions& options, std::source_location place) {
  metrics();
  auto& observatory = static_cast<observe::Observatory&>(*observer());
  if (observatory.has_admin()) add_mistake("admin() was called twice", place);
  observatory.set_admin();
  Group group = root_;
  if (options.prefix.empty()) {
    group = add_listener({.name = std::string(observe::admin_listener),
                          .host = options.host,
                          .port = options.port,
                          .unix_path = options.unix_path,
                          .tls = options.tls},
                         place);
    if (options.unix_path.empty() && observe::is_loopback(options.host)) group.use(observe::OwnHostOnly{});
  } else {
    group = this->group({options.prefix, place});
  }
  observe::add_routes(group, observatory, options.remote_changes);
  on_start([&observatory] { observatory.health().start(); });
  return {observatory, group};
}

}  // namespace tern
