// Everything that this component keeps for an app: the core's observer, the metrics, the checks.
#pragma once

#include "observe/error_table.hpp"
#include "observe/health.hpp"
#include "observe/registry.hpp"
#include "observe/request_metrics.hpp"
#include "observe/sampler.hpp"
#include "observe/tracer.hpp"

#include <tern/base/function.hpp>
#include <tern/coro/task.hpp>
#include <tern/http/observer.hpp>
#include <tern/http/request.hpp>
#include <tern/http/response.hpp>
#include <tern/observe/metrics.hpp>

#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::observe {

inline constexpr std::string_view admin_listener = "admin";

class Exposition;

class Observatory final : public http::Observer {
public:
  Observatory();

  void on_complete(std::vector<http::ObservedRoute> routes) override;
  void on_start(http::ServerView& server) override;
  void on_stop() noexcept override;
  void on_request(Exchange& exchange) noexcept override {
    if (tracer_) tracer_->begin(exchange);
  }
  void on_response(Exchange& exchange, const http::RequestEnd& end) noexcept override {
    const Trace* const kept = tracer_ ? tracer_->end(exchange, &end) : nullptr;
    requests_.count(exchange, end, kept == nullptr ? std::string_view() : exchange.request().trace_id());
  }
  void on_abandoned(Exchange& exchange) noexcept override {
    if (tracer_) tracer_->end(exchange, nullptr);
  }

  void on_error(Exchange& exchange, std::string_view text) noexcept override;

  Metrics& metrics() noexcept { return metrics_; }
  Health& health() noexcept { return health_; }
  Tracer* tracer() const noexcept { return tracer_.get(); }  // null: none
  void trace(TracingOptions options);
  const RequestMetrics& requests() const noexcept { return requests_; }
  Sampler* sampler() const noexcept { return sampler_.get(); }  // null: no dashboard
  // From then on, requests that are slow or fail have traces, if they have none anyway.
  void add_dashboard(Milliseconds slow);
  // Before the start. `source` is called on a loop for each exposition, one call after the other, and does not wait.
  void add_figures(base::Function<void(http::FigureSink&)> source) { sources_.push_back(std::move(source)); }
  const std::vector<http::ObservedRoute>& routes() const noexcept { return routes_; }
  // Of requests, while there is a dashboard.
  const ErrorTable& errors() const noexcept { return errors_; }
  // What the sources of add_figures() report. From any thread.
  void report_sources(http::FigureSink& sink);
  // Null while no server runs. For handlers, during whose time it does not change.
  http::ServerView* server() const noexcept { return server_; }
  // From any thread.
  void log(LogLevel level, std::string_view line) noexcept;

  bool has_admin() const noexcept { return has_admin_; }
  void set_admin() noexcept { has_admin_ = true; }

  // All metrics, in the format that the request asks for. Lets other work of the loop run in between.
  Task<Response> exposition(const Request& request);

private:
  void write_sources(Exposition& to);

  Registry registry_;
  Metrics metrics_{registry_};
  RequestMetrics requests_;
  Health health_;
  std::unique_ptr<Tracer> tracer_;
  std::unique_ptr<Sampler> sampler_;
  ErrorTable errors_;
  Milliseconds slow_{0};  // of the dashboard
  std::vector<http::ObservedRoute> routes_;
  std::vector<base::Function<void(http::FigureSink&)>> sources_;
  std::mutex sources_mutex_;  // for calls of them: several loops may be asked at the same time
  std::mutex mutex_;          // for log(), and changes of server_
  http::ServerView* server_ = nullptr;
  bool has_admin_ = false;
};

}  // namespace tern::observe
