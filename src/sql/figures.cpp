// The statistics of a database as figures, by OpenTelemetry's names for pools of databases (semantic conventions,
// "Database client metrics").
#include <tern/sql/database.hpp>

#include <tern/http/observer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tern::sql {
namespace {

constexpr auto bounds_in_seconds = [] {
  std::array<double, WaitTimes::bounds_microseconds.size()> bounds{};
  for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = WaitTimes::bounds_microseconds[i] / 1e6;
  return bounds;
}();

}  // namespace

void Database::report(http::FigureSink& sink, std::string_view pool) const {
  const Statistics counts = statistics();
  const http::FigureLabel name{"db_client_connection_pool_name", pool};
  const auto connections = [&](std::string_view state, std::size_t count) {
    sink.gauge("db_client_connection_count", "Connections of pools, by state.", static_cast<double>(count),
               {name, {"db_client_connection_state", state}});
  };
  const std::size_t used = std::min(counts.in_use, counts.connections);
  connections("idle", counts.connections - used);
  connections("used", used);
  sink.gauge("db_client_connection_pending_requests", "Calls that wait for a connection.",
             static_cast<double>(counts.waiting), {name});
  sink.counter("db_client_connection_timeouts", "Calls that were refused, since no connection was free in time.",
               static_cast<double>(counts.refused), {name});
  sink.histogram("db_client_connection_wait_time_seconds", "How long calls have waited for a connection.",
                 bounds_in_seconds, counts.waits.counts, static_cast<double>(counts.waits.total_microseconds) / 1e6,
                 {name});
  const auto statements = [&](std::string_view outcome, std::uint64_t count) {
    sink.counter("tern_db_statements", "Statements that have ended.", static_cast<double>(count),
                 {name, {"outcome", outcome}});
  };
  statements("ok", counts.statements - counts.errors - counts.cancelled);
  statements("error", counts.errors);
  statements("cancelled", counts.cancelled);
  sink.counter("tern_db_reconnects", "Connections that have replaced a lost one.",
               static_cast<double>(counts.reconnects), {name});
}

}  // namespace tern::sql
