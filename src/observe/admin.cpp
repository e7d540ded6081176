// App::admin() and App::metrics(): the routes of the admin address.
#include <tern/app/app.hpp>
#include <tern/observe/admin.hpp>
#include <tern/observe/tracing.hpp>

#include "observe/documents.hpp"
#include "observe/in_flight.hpp"
#include "observe/observatory.hpp"

#include <tern/coro/scope.hpp>
#include <tern/http/problem.hpp>
#include <tern/json/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {
namespace observe {

namespace {

struct OwnHostOnly {
  Reply operator()(Request& request, Next next) const {
    require_own_host(request);
    return next();
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

void add_routes(Group& group, Observatory& observatory, bool remote_changes) {
  group.get("/metrics",
            [&observatory](const Request& request) -> Task<Response> { return observatory.exposition(request); });
  for (const auto& [path, question] : {std::pair("/livez", Question::Alive), std::pair("/readyz", Question::Ready),
                                       std::pair("/startupz", Question::Started)}) {
    group.get(runtime(path), [&observatory, question] { return health_response(observatory, question); });
  }
  group.get("/routes", [&observatory] { return observatory.routes(); });
  group.get("/requests",
            [&observatory]() -> Task<std::vector<LoopDocument>> { return look_at_loops(running(observatory)); });
  group.get("/traces", [&observatory] { return traces_of(observatory); });
  group.get("/log/level", [&observatory] { return levels_of(observatory); });
  group.put("/log/level", [&observatory, remote_changes](const Request& request, Json<LevelDocument> wanted) {
    if (!remote_changes && !is_local(request)) {
      throw HttpError(Status::Forbidden, "only clients on this machine may change something");
    }
    return set_level(observatory, *wanted);
  });
}

}  // namespace
}  // namespace observe

void AdminAddress::add(std::string name, base::Box<coro::Work> check, CheckOptions options) {
  observatory_->health().add(std::move(name), std::move(check), std::move(options));
}

AdminAddress& AdminAddress::add_figures(base::Function<void(http::FigureSink&)> source) {
  observatory_->add_figures(std::move(source));
  return *this;
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
