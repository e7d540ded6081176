// What a server reports of itself: the sums of what its loops count.
#include "server/server.hpp"

#include "exchange/http_exchange.hpp"
#include "server/timer_text.hpp"
#include "server/wait_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tern::server {
namespace {

using exchange::LoopCounters;
using Workers = std::vector<std::unique_ptr<Worker>>;

constexpr double nanosecond = 1e-9;      // seconds
constexpr std::size_t max_chains = 100;  // that are looked up for one call

template <class F>
double sum(const Workers& workers, F value) {
  double total = 0;
  for (const auto& worker : workers) total += static_cast<double>(value(worker->context().counters()));
  return total;
}

template <std::size_t size>
std::array<double, size> in_seconds(const std::array<std::uint64_t, size>& nanoseconds) {
  std::array<double, size> seconds{};
  std::ranges::transform(nanoseconds, seconds.begin(), [](std::uint64_t one) { return double(one) * nanosecond; });
  return seconds;
}

void report_loops(const Workers& workers, http::FigureSink& sink) {
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const net::Counters& counters = workers[i]->loop().counters();
    std::array<std::uint64_t, net::Counters::bounds.size() + 1> counts{};
    std::ranges::transform(counters.durations, counts.begin(), &base::Counter::value);
    sink.histogram("tern_loop_iteration_duration_seconds",
                   "How long a loop was busy without waiting; an event that arrives meanwhile waits for so long.",
                   in_seconds(net::Counters::bounds), counts, double(counters.busy.value()) * nanosecond,
                   {{"loop", std::to_string(i)}});
  }
  const auto system_calls = [&](std::string_view call, base::Counter net::Counters::* member) {
    double total = 0;
    for (const auto& worker : workers) total += double((worker->loop().counters().*member).value());
    sink.counter("tern_loop_system_calls", "System calls of the loops.", total, {{"call", call}});
  };
  system_calls("epoll_wait", &net::Counters::iterations);
  system_calls("recv", &net::Counters::receives);
  system_calls("send", &net::Counters::sends);
}

void report_connections(const Workers& workers, http::FigureSink& sink) {
  double accepted = 0;
  for (const auto& worker : workers) accepted += double(worker->loop().counters().accepts.value());
  sink.counter("tern_connections_accepted", "Connections that were accepted.", accepted);
  sink.counter("tern_connections_closed", "Accepted connections that have closed.",
               sum(workers, [](const LoopCounters& loop) { return loop.closed.value(); }));
  const auto connections = [&](exchange::Spoken spoken) {
    const auto index = static_cast<std::size_t>(spoken);
    return std::max(0.0, sum(workers, [index](const LoopCounters& loop) { return loop.connections[index].value(); }));
  };
  const double busy_http1 = sum(workers, [](const LoopCounters& loop) { return loop.http1_requests.value(); });
  const double busy_http2 = sum(workers, [](const LoopCounters& loop) { return loop.busy_http2.value(); });
  for (std::size_t i = 0; i < exchange::spoken_names.size(); ++i) {
    const auto spoken = static_cast<exchange::Spoken>(i);
    const double all = connections(spoken);
    double busy = all;
    if (spoken == exchange::Spoken::Http1) busy = std::min(all, busy_http1);
    if (spoken == exchange::Spoken::Http2) busy = std::min(all, busy_http2);
    for (const auto& [state, value] : {std::pair("active", busy), std::pair("idle", all - busy)}) {
      sink.gauge("tern_connections", "Open connections; active ones have a request in flight.", value,
                 {{"protocol", exchange::spoken_names[i]}, {"state", state}});
    }
  }
  sink.counter("tern_accept_pauses", "Pauses of accepting, because there may not be more connections or descriptors.",
               sum(workers, [](const LoopCounters& loop) { return loop.accept_pauses.value(); }));
}

void report_requests(const Workers& workers, http::FigureSink& sink) {
  sink.gauge("http_server_active_requests", "Requests in flight.",
             sum(workers, [](const LoopCounters& loop) { return loop.http1_requests.value(); }),
             {{"network_protocol_version", "1.1"}});
  sink.gauge("http_server_active_requests", "Requests in flight.",
             sum(workers, [](const LoopCounters& loop) { return loop.http2_requests.value(); }),
             {{"network_protocol_version", "2"}});
  sink.counter("tern_requests_abandoned", "Requests whose client disconnected before the response.",
               sum(workers, [](const LoopCounters& loop) { return loop.abandoned.value(); }));
  constexpr std::string_view refused = "Requests and connections that the server refused or ended, by the reason.";
  for (std::size_t i = 0; i < exchange::refusal_names.size(); ++i) {
    sink.counter("tern_refusals", refused,
                 sum(workers, [i](const LoopCounters& loop) { return loop.refusals[i].value(); }),
                 {{"reason", exchange::refusal_names[i]}});
  }
  for (std::size_t i = 1; i < http1::fault_count; ++i) {
    sink.counter("tern_refusals", refused,
                 sum(workers, [i](const LoopCounters& loop) { return loop.faults[i].value(); }),
                 {{"reason", http1::name_of(static_cast<http1::Fault>(i))}});
  }
}

void report_protocols(const Workers& workers, http::FigureSink& sink) {
  const auto counter = [&](std::string_view name, std::string_view help, base::Counter LoopCounters::* member) {
    sink.counter(name, help, sum(workers, [member](const LoopCounters& loop) { return (loop.*member).value(); }));
  };
  counter("tern_tls_handshakes", "TLS handshakes that have succeeded.", &LoopCounters::tls_handshakes);
  counter("tern_tls_resumptions", "TLS handshakes that have resumed a session.", &LoopCounters::tls_resumptions);
  counter("tern_tls_failures", "TLS handshakes that have failed.", &LoopCounters::tls_failures);
  counter("tern_http2_streams", "HTTP/2 streams that clients have opened.", &LoopCounters::http2_streams);
  counter("tern_http2_resets_received", "HTTP/2 streams that clients have reset.",
          &LoopCounters::http2_resets_received);
  counter("tern_http2_resets_sent", "HTTP/2 streams that the server has reset.", &LoopCounters::http2_resets_sent);
  using websockets::SocketCounters;
  const auto sockets = [&](std::string_view name, std::string_view help, base::Counter SocketCounters::* member) {
    sink.counter(name, help,
                 sum(workers, [member](const LoopCounters& loop) { return (loop.sockets.*member).value(); }));
  };
  sockets("tern_websockets_opened", "WebSockets that were opened, over HTTP/1.1 and HTTP/2.", &SocketCounters::opened);
  sockets("tern_websocket_messages_received", "Messages that were received.", &SocketCounters::received);
  sockets("tern_websocket_messages_sent", "Messages and publications that were sent.", &SocketCounters::sent);
  sockets("tern_websocket_messages_dropped", "Messages and publications that were dropped, since the peer is slow.",
          &SocketCounters::dropped);
  sink.gauge("tern_websocket_queued_bytes", "Bytes of messages that peers have not read.",
             sum(workers, [](const LoopCounters& loop) { return loop.sockets.queued.value(); }));
}

void report_pool(const LazyPool& pool, http::FigureSink& sink) {
  const ThreadPool::Counts counts = pool.counts();
  sink.gauge("tern_pool_threads", "Threads of the pool.", pool.threads());
  sink.gauge("tern_pool_running_jobs", "Jobs that run.", double(counts.running));
  sink.gauge("tern_pool_queued_jobs", "Jobs that wait for a thread.", double(counts.queued));
  sink.counter("tern_pool_jobs", "Jobs by their end.", double(counts.done), {{"end", "done"}});
  sink.counter("tern_pool_jobs", "Jobs by their end.", double(counts.rejected - counts.shed), {{"end", "rejected"}});
  sink.counter("tern_pool_jobs", "Jobs by their end.", double(counts.shed), {{"end", "shed"}});
  sink.counter("tern_pool_jobs", "Jobs by their end.", double(counts.dropped), {{"end", "dropped"}});
  sink.histogram("tern_pool_wait_duration_seconds", "How long jobs have waited for a thread.",
                 in_seconds(ThreadPool::Counts::wait_bounds), counts.waits,
                 double(counts.wait_nanoseconds) * nanosecond);
}

void report_bus(const Bus& bus, http::FigureSink& sink) {
  const std::optional<BusStatistics> counts = bus.statistics();
  if (!counts) return;
  const char* const published = "Publications to other servers.";
  sink.gauge("tern_bus_connected", "1 while the bus is connected.", counts->connected ? 1 : 0);
  sink.gauge("tern_bus_queued_bytes", "Bytes of publications that the bus has not sent.", double(counts->queued_bytes));
  sink.counter("tern_bus_publications", published, double(counts->published), {{"outcome", "accepted"}});
  sink.counter("tern_bus_publications", published, double(counts->dropped), {{"outcome", "dropped"}});
  sink.counter("tern_bus_publications_lost", "Accepted publications that may not have arrived.", double(counts->lost));
  sink.counter("tern_bus_publications_received", "Publications of other servers.", double(counts->received));
  sink.counter("tern_bus_reconnects", "Connections that have replaced a lost one.", double(counts->reconnects));
}

http::LoopState state_of(Worker& worker, std::size_t max) {
  std::vector<exchange::HttpExchange*> oldest;
  worker.context().for_each_exchange([&](exchange::HttpExchange& exchange) {
    if (exchange.in_flight()) oldest.push_back(&exchange);
  });
  std::ranges::sort(oldest, {}, &exchange::HttpExchange::started);
  if (oldest.size() > max) oldest.resize(max);
  const net::Loop& loop = worker.loop();
  ArmedTimers timers = armed_timers(loop, max_timers);
  http::LoopState state{loop.streams(), loop.outstanding_jobs(), timers.count, loop.posted()};
  state.timer_kinds = std::move(timers.kinds);
  state.next_timers = std::move(timers.next);
  const std::uint64_t now = exchange::LoopContext::nanoseconds();
  for (exchange::HttpExchange* exchange : oldest) {
    const Request& request = exchange->request();
    state.requests.push_back(
        {std::string(request.method_name()), std::string(request.path()), std::string(request.route()),
         std::string(request.id()), std::string(exchange->remote()), double(now - exchange->started()) * nanosecond,
         exchange->awaited() == nullptr ? std::string() : std::string(exchange->awaited()), exchange->number(),
         state.requests.size() < max_chains ? wait_text(*exchange) : std::string()});
  }
  return state;
}

}  // namespace

void Server::report(http::FigureSink& sink) const {
  report_requests(workers_, sink);
  report_connections(workers_, sink);
  report_protocols(workers_, sink);
  report_loops(workers_, sink);
  report_pool(pool_, sink);
  if (const Bus* bus = shared_.sockets.bus()) report_bus(*bus, sink);
  sink.gauge("tern_buffered_bytes", "Bytes of contents in memory: collected ones, and responses that are not read.",
             double(shared_.memory.used()));
  sink.gauge("tern_buffered_limit_bytes", "The bound of tern_buffered_bytes.", double(shared_.memory.limit()));
  sink.counter("tern_log_lines_lost", "Lines of the logs that could not be written.", double(log_.lost()));
  sink.gauge("tern_draining", "1 once the shutdown has begun.", is_draining() ? 1 : 0);
}

std::vector<std::pair<std::string, std::string>> Server::configuration() const {
  std::vector<std::pair<std::string, std::string>> all;
  const auto text = [&](std::string name, std::string value) { all.emplace_back(std::move(name), std::move(value)); };
  const auto number = [&](std::string name, std::uint64_t value) { text(std::move(name), std::to_string(value)); };
  const auto time = [&](std::string name, Milliseconds value) {
    text(std::move(name), value.count() == 0 ? "none" : std::to_string(value.count()) + " ms");
  };
  for (const Place& place : places_) text(place.name.empty() ? "address" : "address of " + place.name, place.address);
  number("threads", workers_.size());
  number("busy_poll_microseconds", settings().busy_poll);
  number("limits.max_connections", settings().connections);
  number("limits.max_buffered_bytes", settings().buffered);
  number("limits.max_request_line_bytes", settings().heads.request_line);
  number("limits.max_fields_bytes", settings().heads.fields);
  number("limits.max_field_count", settings().heads.field_count);
  number("limits.request.max_body_bytes", settings().limits.max_body_bytes);
  time("limits.request.handler_timeout", settings().limits.handler_timeout);
  time("timeouts.head", settings().head_timeout);
  time("timeouts.idle", settings().idle_timeout);
  time("timeouts.drain", settings().drain_timeout);
  time("timeouts.drain_delay", settings().drain_delay);
  time("timeouts.stall", settings().stall_timeout);
  number("timeouts.min_bytes_per_second", settings().min_data_rate);
  number("http2.max_concurrent_streams", settings().http2.streams);
  number("pool.threads", pool_.threads());
  number("pool.max_queued_jobs", settings().pool_queue);
  text("pool.sheds_load", settings().pool_sheds_load ? "true" : "false");
  number("pool.nice", settings().pool_nice);
  number("proxies.trusted", settings().trusted.size());
  time("logging.slow", settings().slow);
  return all;
}

void Server::look_at(std::size_t loop, std::size_t max, base::Function<void(http::LoopState)> then) {
  Worker& worker = *workers_[loop];
  worker.loop().post([&worker, max, then = std::move(then)]() mutable {
    try {
      then(state_of(worker, max));
    } catch (const std::bad_alloc&) {  // then there is no answer
    }
  });
}

void Server::cancel_request(std::size_t loop, std::uint64_t number, base::Function<void(bool)> then) {
  Worker& worker = *workers_[loop];
  worker.loop().post([&worker, number, then = std::move(then)]() mutable {
    exchange::HttpExchange* found = nullptr;
    worker.context().for_each_exchange([&](exchange::HttpExchange& exchange) {
      if (exchange.in_flight() && exchange.number() == number) found = &exchange;
    });
    then(found != nullptr);
    if (found != nullptr) found->stop_handler();
  });
}

}  // namespace tern::server
