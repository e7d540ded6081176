// The composition root: connects an App and a server.
#include <tern/app/app.hpp>

#include "app/core.hpp"
#include "base/gate.hpp"
#include "exchange/http2.hpp"
#include "http/topic.hpp"
#include "server/machine.hpp"
#include "server/server.hpp"
#include "tern/forced_exit.hpp"
#include "tern/life.hpp"
#include "tern/running_logs.hpp"
#include "tern/signals.hpp"

#include <tern/coro/cancelled.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tern {
namespace {

constexpr std::uint32_t min_window = 65'535;  // of a connection (RFC 9113, section 6.9.2)
constexpr std::uint32_t max_window = (1U << 31U) - 1;
// After an immediate stop: everything that can be stopped has ended long before, except on_stop hooks, which have a
// second.
constexpr Milliseconds exit_time{250};
constexpr Milliseconds exit_time_with_hooks{1250};
constexpr Milliseconds for_ever{Seconds(10L * 365 * 24 * 3600)};

// The maximum number of connections. Throws SetupError if there is no room for any.
std::size_t max_connections_of(const Options& options, unsigned loops) {
  const std::size_t listeners = 1 + options.listeners.size();
  const server::DescriptorBudget budget = server::descriptor_budget(loops, listeners);
  if (budget.limit <= budget.needed) {
    const std::string needed = std::to_string(budget.needed + 1);
    throw SetupError("the limit of open descriptors is " + std::to_string(budget.limit) + ", but " +
                     std::to_string(loops) + (loops == 1 ? " loop" : " loops") + ", " + std::to_string(listeners) +
                     (listeners == 1 ? " listener" : " listeners") + " and a reserve need at least " + needed +
                     ": raise it (ulimit -n " + needed + "), or set fewer threads");
  }
  const std::size_t max = options.limits.max_connections;
  return max != 0 ? max : budget.limit - budget.needed;
}

exchange::Settings settings_of(const Options& options, unsigned loops) {
  exchange::Settings settings;
  settings.heads.request_line = options.limits.max_request_line_bytes;
  settings.heads.fields = options.limits.max_fields_bytes;
  settings.heads.field_count = options.limits.max_field_count;
  settings.http2.target = options.limits.max_request_line_bytes;
  settings.http2.fields = options.limits.max_fields_bytes;
  settings.http2.field_count = options.limits.max_field_count;
  settings.http2.streams = options.http2.max_concurrent_streams;
  settings.http2.stream_window = std::min(options.http2.stream_window_bytes, max_window);
  settings.http2.connection_window = std::clamp(options.http2.connection_window_bytes, min_window, max_window);
  settings.prior_knowledge = options.http2.enabled && options.http2.clear_text;
  settings.http2_only = settings.prior_knowledge && options.http2.only;
  settings.limits = options.limits.request;
  settings.head_timeout = options.timeouts.head;
  settings.idle_timeout = options.timeouts.idle;
  settings.drain_timeout = options.timeouts.drain.count() != 0 ? options.timeouts.drain : for_ever;
  settings.drain_delay = options.timeouts.drain_delay;
  settings.drain_idle = options.timeouts.drain_idle;
  settings.grace = options.timeouts.min_rate_grace;
  settings.min_data_rate = options.timeouts.min_bytes_per_second;
  settings.stall_timeout = options.timeouts.stall;
  settings.connections = max_connections_of(options, loops);
  const std::size_t max_buffered = options.limits.max_buffered_bytes;
  settings.buffered = max_buffered != 0 ? max_buffered : server::usable_memory() / 4;
  settings.pool_threads = options.pool.threads;
  settings.pool_queue = options.pool.max_queued_jobs;
  settings.busy_poll = options.busy_poll_microseconds;
  settings.access = options.logging.access;
  settings.server_name = options.server_field;
  for (const std::string& proxy : options.proxies.trusted) {
    const auto network = net::Network::parse(proxy);
    if (!network) {
      throw SetupError("proxies.trusted: '" + proxy +
                       "' is neither an address, nor a network such as 10.0.0.0/8, nor 'unix'");
    }
    settings.trusted.push_back(*network);
  }
  settings.forwarded = options.proxies.forwarded;
  return settings;
}

tls::Config config_of(const TlsOptions& options, bool http2) {
  if (options.client != ClientCertificates::None && options.client_ca.empty()) {
    throw SetupError("tls.client_ca is missing: it has the issuers of client certificates");
  }
  if (options.client == ClientCertificates::None && !options.client_ca.empty()) {
    throw SetupError("tls.client_ca is set, but tls.client does not ask for certificates");
  }
  tls::Config config;
  config.certificates.push_back({options.certificate, options.key, options.ocsp});
  config.certificates.insert(config.certificates.end(), options.certificates.begin(), options.certificates.end());
  config.client_ca = options.client_ca;
  config.client = options.client;
  if (http2 && exchange::has_http2()) config.protocols.insert(config.protocols.begin(), "h2");
  return config;
}

// Options and Listener have the same members for this.
template <class Place>
transport::ListenerConfig listening_of(const Place& place, const Options& options) {
  transport::ListenerConfig listening{
      .address = {.host = place.host, .port = place.port, .path = place.unix_path, .share_port = place.share_port}};
  if (place.share_port && !place.unix_path.empty())
    throw SetupError("share_port is set, but a Unix socket has no port");
  listening.proxied = place.proxy_protocol;
  if (place.proxy_protocol && options.proxies.trusted.empty()) {
    throw SetupError("proxy_protocol is set, but proxies.trusted is empty: who may say where clients are?");
  }
  const TlsOptions& tls = place.tls;
  if (!tls.certificate.empty()) {
    listening.tls = config_of(tls, options.http2.enabled);
  } else if (!tls.key.empty() || !tls.ocsp.empty() || !tls.certificates.empty() || !tls.client_ca.empty() ||
             tls.client != ClientCertificates::None) {
    throw SetupError("tls.certificate is missing");
  }
  return listening;
}

std::vector<transport::ListenerConfig> listeners_of(const Options& options) {
  std::vector<transport::ListenerConfig> listeners;
  listeners.push_back(listening_of(options, options));
  for (const Listener& more : options.listeners) {
    const auto same = [&more](const transport::ListenerConfig& other) {
      return !more.name.empty() && other.name == more.name;
    };
    if (std::ranges::any_of(listeners, same)) throw SetupError("two listeners are named '" + more.name + "'");
    listeners.push_back(listening_of(more, options));
    listeners.back().name = more.name;
  }
  return listeners;
}

std::vector<std::string> names_of(const std::vector<transport::ListenerConfig>& listeners) {
  std::vector<std::string> names;
  for (const transport::ListenerConfig& listener : listeners) names.push_back(listener.name);
  return names;
}

// Errors are logged.
void reload(server::Server& server) noexcept {
  server.log().reopen();
  try {
    server.reload_certificates();
  } catch (const std::exception&) {
    server.log().failure("the certificates cannot be loaded again", std::current_exception());
  }
}

// Stops `server` on signals, and returns when it has ended or cannot be stopped any more.
void await_end(server::Server& server, SignalScope& signals, ForcedExit& forced_exit, Milliseconds time) {
  const HeldSignals held;
  for (bool first = true;;) {
    SignalScope::Events events = signals.wait(held);
    if (events.ended) return;
    if (events.reload) reload(server);
    for (; events.stops != 0; --events.stops) {
      const bool drained_before = server.retire();
      if (!std::exchange(first, false) && drained_before) {
        server.log().write(LogLevel::Info, "stopping at once");
        server.stop(Milliseconds(0));
        forced_exit.arm(time);
      }
    }
  }
}

}  // namespace

class App::Runner {
public:
  // The running server, or null. Shared ownership keeps it alive.
  std::shared_ptr<server::Server> server() const {
    const std::lock_guard lock(mutex_);
    return server_;
  }

  // By the running server, if there is one; does not wait.
  PublishStatus publish(const Publication& publication) {
    const base::Gate::Pass inside(publishers_);
    return inside ? server_->sockets().publish(publication) : PublishStatus::Dropped;
  }

  // Returns when the loops run; Server::await_start() has the result of the start.
  std::shared_ptr<server::Server> launch(app::Core& core, Options options, base::Function<void()> on_ended) {
    if (server()) throw SetupError(runs_already);
    core.freeze();
    options.listeners.insert(options.listeners.end(), core.own_listeners().begin(), core.own_listeners().end());
    const std::vector<transport::ListenerConfig> listeners = listeners_of(options);
    core.check_listeners(names_of(listeners));
    const unsigned threads = options.threads != 0 ? options.threads : server::usable_processors();
    core.prepare_loops(threads);
    std::shared_ptr<server::Server> server;
    try {
      exchange::Settings settings = settings_of(options, threads);
      settings.observer = core.observer();
      server = std::make_shared<server::Server>(core, std::move(settings), options.logging);
    } catch (const std::exception& error) {
      throw SetupError(error.what());
    }
    const auto listening = server->listen(listeners, threads);
    if (!listening) throw SetupError(listening.error().message);
    server->log().write(LogLevel::Info, "serving " + all_addresses(*server) + " with " + std::to_string(threads) +
                                            (threads == 1 ? " loop" : " loops"));
    if (Bus* bus = core.bus()) server->sockets().connect(*bus);
    server::Hooks hooks = hooks_of(core, *server);
    hooks.on_ended = std::move(on_ended);
    // Before the first request, whose handler may call stop().
    if (!replace(nullptr, server)) throw SetupError(runs_already);
    if (http::Observer* observer = core.observer()) observer->on_start(*server);
    try {
      server->start(std::move(hooks));
    } catch (const std::system_error& error) {
      replace(server.get(), nullptr);
      throw SetupError("there is no thread for a loop: " + error.code().message());
    }
    return server;
  }

  void wait() {
    const auto running = server();
    if (!running) return;
    running->wait();
    replace(running.get(), nullptr);
  }

private:
  static std::string all_addresses(const server::Server& server) {
    std::string all = server.address();
    for (std::size_t i = 1; !server.address(i).empty(); ++i) all += ", " + server.address(i);
    return all;
  }

  // False if there is another server now. Waits for publishers without the mutex, which a user's bus may need.
  bool replace(const server::Server* before, std::shared_ptr<server::Server> after) {
    const std::lock_guard one_at_a_time(replacing_);
    if (server().get() != before) return false;
    const bool serves = after != nullptr;
    publishers_.close();
    if (serves) RunningLogs::add(after->log());
    {
      const std::lock_guard lock(mutex_);
      server_.swap(after);
    }
    if (after) RunningLogs::remove(after->log());
    if (serves) publishers_.open();
    return true;
  }

  static constexpr const char* runs_already = "the app runs already: stop() and wait() come before the next start()";

  std::mutex replacing_;
  mutable std::mutex mutex_;  // guards the pointer
  std::shared_ptr<server::Server> server_;
  base::Gate publishers_{false};  // inside, the pointer is constant and needs no mutex
};

App::App() : core_(base::make_box<app::Core>()), runner_(base::make_box<Runner>()), root_(*core_, 0) {}
App::App(App&&) noexcept = default;

App::~App() {
  if (runner_) stop();
}

void App::start(const Options& options) {
  const auto server = runner_->launch(*core_, options, {});
  try {
    server->await_start();
  } catch (const Cancelled&) {
    wait();
    throw SetupError("the app was stopped before it had started");
  } catch (...) {
    wait();
    throw;
  }
}

void App::stop(bool wait_for_it) {
  const auto server = runner_->server();
  if (!server) return;
  server->retire();
  if (wait_for_it && !server->on_a_loop()) wait();
}

void App::wait() {
  runner_->wait();
}

void App::spawn(Task<> task) {
  const auto server = runner_->server();
  if (server && !server->on_a_loop()) {
    server->first_loop().post([task = std::move(task)]() mutable { tern::spawn(std::move(task)); });
    return;
  }
  const Executor* executor = Executor::current();  // in tests without a server, the test client's
  if (!server && executor == nullptr) throw SetupError("spawn() was called while the app does not run");
  tern::spawn(std::move(task));
}

bool App::is_draining() const noexcept {
  const auto server = runner_->server();
  return server && server->is_draining();
}

std::uint16_t App::port(std::size_t listener) const noexcept {
  const auto server = runner_->server();
  return server ? server->port(listener) : std::uint16_t{0};
}

std::uint16_t App::port(std::string_view listener) const noexcept {
  const auto server = runner_->server();
  return server ? server->port(listener) : std::uint16_t{0};
}

std::string App::address(std::size_t listener) const {
  const auto server = runner_->server();
  return server ? server->address(listener) : std::string();
}

void App::reload_certificates() {
  const auto server = runner_->server();
  if (!server) return;
  if (const std::string faults = server->reload_certificates(); !faults.empty()) throw SetupError(faults);
}

void App::reopen_logs() {
  if (const auto server = runner_->server()) server->log().reopen();
}

PublishStatus App::publish_message(const Publication& publication) {
  http::check_publication(publication);
  const PublishStatus status = runner_->publish(publication);
  if (!core_->local_topics()) return status;
  core_->local_topics()(publication);
  return PublishStatus::Sent;
}

std::size_t App::subscribers(std::string_view topic) const {
  const auto server = runner_->server();
  return server ? server->sockets().subscribers(http::literal_filter(topic)) : 0;
}

std::size_t App::filter_subscribers(std::string_view filter) const {
  const auto server = runner_->server();
  return server ? server->sockets().subscribers(http::parse_filter(filter)) : 0;
}

int App::run(const Options& options) {
  try {
    ForcedExit forced_exit;  // outlives the server, which waits for the pool's threads
    SignalScope signals;
    const auto server = runner_->launch(*core_, options, [&signals] { signals.end(); });
    try {
      const bool hooks = !core_->hooks().stop.empty() || core_->bus() != nullptr;
      // The server's threads exist now, and do not inherit the blocked signals.
      await_end(*server, signals, forced_exit, hooks ? exit_time_with_hooks : exit_time);
    } catch (const std::system_error& error) {
      server->log().write(LogLevel::Error,
                          "stopping, since signals cannot be waited for: " + std::string(error.what()));
      server->stop(server->settings().drain_timeout);
    }
    wait();
    server->await_start();
    return 0;
  } catch (const Cancelled&) {
    return 0;  // stopped before it had started
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tern: cannot serve: %s\n", error.what());
    return 1;
  }
}

}  // namespace tern
