// The composition root: where an App and a server are put together.
#include <tern/app/app.hpp>

#include "app/core.hpp"
#include "base/gate.hpp"
#include "http/topic.hpp"
#include "server/http2.hpp"
#include "server/server.hpp"
#include "tern/forced_exit.hpp"
#include "tern/life.hpp"
#include "tern/signals.hpp"

#include <tern/coro/cancelled.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tern {
namespace {

constexpr std::uint32_t min_window = 65'535;  // that a connection has (RFC 9113, section 6.9.2)
constexpr std::uint32_t max_window = (1U << 31U) - 1;
// Within a stop at once: what can be stopped has ended long before, but for on_stop hooks, which have a second.
constexpr Milliseconds exit_time{250};
constexpr Milliseconds exit_time_with_hooks{1250};
constexpr Milliseconds for_ever{Seconds(10L * 365 * 24 * 3600)};

// How many connections there may be at once. Throws SetupError where there is no room for any.
std::size_t connections_of(const Options& options, unsigned loops) {
  const std::size_t listeners = 1 + options.also.size();
  const server::DescriptorBudget budget = server::descriptor_budget(loops, listeners);
  if (budget.limit <= budget.needed) {
    const std::string needed = std::to_string(budget.needed + 1);
    throw SetupError("the limit of open descriptors is " + std::to_string(budget.limit) + ", but " +
                     std::to_string(loops) + (loops == 1 ? " loop" : " loops") + ", " + std::to_string(listeners) +
                     (listeners == 1 ? " listener" : " listeners") + " and a reserve need at least " + needed +
                     ": raise it (ulimit -n " + needed + "), or set fewer threads");
  }
  return options.connections != 0 ? options.connections : budget.limit - budget.needed;
}

server::Settings settings_of(const Options& options, unsigned loops) {
  server::Settings settings;
  settings.heads.request_line = options.request_line;
  settings.heads.fields = options.fields;
  settings.heads.field_count = options.field_count;
  settings.http2.target = options.request_line;
  settings.http2.fields = options.fields;
  settings.http2.field_count = options.field_count;
  settings.http2.streams = options.http2.streams;
  settings.http2.stream_window = std::min(options.http2.window, max_window);
  settings.http2.connection_window = std::clamp(options.http2.all_windows, min_window, max_window);
  settings.prior_knowledge = options.http2.enabled && options.http2.clear_text;
  settings.http2_only = settings.prior_knowledge && options.http2.only;
  settings.limits = options.limits;
  settings.head_timeout = options.timeouts.head;
  settings.idle_timeout = options.timeouts.idle;
  settings.drain_timeout = options.timeouts.drain.count() != 0 ? options.timeouts.drain : for_ever;
  settings.drain_idle = options.timeouts.drain_idle;
  settings.grace = options.timeouts.grace;
  settings.min_data_rate = options.timeouts.min_data_rate;
  settings.stall_timeout = options.timeouts.stall;
  settings.connections = connections_of(options, loops);
  settings.buffered = options.buffered != 0 ? options.buffered : server::usable_memory() / 4;
  settings.pool_threads = options.pool_threads;
  settings.pool_queue = options.pool_queue;
  settings.busy_poll = options.busy_poll;
  settings.access = static_cast<server::AccessFormat>(options.log.access);
  settings.server_name = options.server;
  for (const std::string& proxy : options.trusted_proxies) {
    const auto network = net::Network::parse(proxy);
    if (!network) {
      throw SetupError("trusted_proxies: '" + proxy +
                       "' is neither an address, nor a network such as 10.0.0.0/8, nor 'unix'");
    }
    settings.trusted.push_back(*network);
  }
  settings.forwarded = static_cast<server::ForwardedField>(options.forwarded);
  return settings;
}
static_assert(static_cast<int>(ForwardedBy::Forwarded) == static_cast<int>(server::ForwardedField::Forwarded));
static_assert(static_cast<int>(AccessLog::Json) == static_cast<int>(server::AccessFormat::Json));
static_assert(static_cast<int>(LogLevel::Off) == static_cast<int>(server::Severity::Off));

server::Log::Options log_options_of(const LogOptions& options) {
  return {options.access != AccessLog::Off, options.access_file, options.error_file,
          static_cast<server::Severity>(options.level)};
}

tls::Config config_of(const TlsOptions& options, bool http2) {
  if (options.client != ClientCertificates::None && options.client_ca.empty()) {
    throw SetupError("tls.client_ca is missing: who vouches for the clients?");
  }
  if (options.client == ClientCertificates::None && !options.client_ca.empty()) {
    throw SetupError("tls.client_ca is set, but tls.client asks nobody for a certificate");
  }
  tls::Config config;
  config.certificates.push_back({options.certificate, options.key, options.ocsp});
  for (const TlsCertificate& more : options.certificates) {
    config.certificates.push_back({more.certificate, more.key, more.ocsp});
  }
  config.client_ca = options.client_ca;
  config.client = static_cast<tls::ClientAuth>(options.client);
  if (http2 && server::has_http2()) config.protocols.insert(config.protocols.begin(), "h2");
  return config;
}
static_assert(static_cast<int>(ClientCertificates::Required) == static_cast<int>(tls::ClientAuth::Required));

// Options and Listen have the same members for this.
template <class Place>
server::Listening listening_of(const Place& place, const Options& options) {
  server::Listening listening{.address = {place.host, place.port, place.unix_path}};
  listening.proxied = place.proxy_protocol;
  if (place.proxy_protocol && options.trusted_proxies.empty()) {
    throw SetupError("proxy_protocol is set, but trusted_proxies is empty: who may say where clients are?");
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

std::vector<server::Listening> listeners_of(const Options& options) {
  std::vector<server::Listening> listeners;
  listeners.push_back(listening_of(options, options));
  for (const Listen& more : options.also) listeners.push_back(listening_of(more, options));
  return listeners;
}

// Stops `server` when signals say so, and returns when it has ended or cannot be told to any more.
void await_end(server::Server& server, SignalScope& signals, ForcedExit& forced_exit, Milliseconds time) {
  const HeldSignals held;
  for (bool first = true;;) {
    const SignalScope::Events events = signals.wait(held);
    if (events.ended) return;
    if (events.reload) {
      server.log().reopen();
      server.reload_certificates();  // what is wrong, it has logged
    }
    if (events.stops == 0) continue;
    // Ctrl-C twice within one read is still two.
    const bool patient = std::exchange(first, false) && events.stops == 1;
    server.log().write(server::Severity::Info, patient ? "stopping: requests in flight may end" : "stopping at once");
    server.stop(patient ? server.settings().drain_timeout : Milliseconds(0));
    if (!patient) forced_exit.arm(time);
  }
}

}  // namespace

class App::Runner {
public:
  // The server that runs, or null. It stays alive for whoever holds it.
  std::shared_ptr<server::Server> server() const {
    const std::lock_guard lock(mutex_);
    return server_;
  }

  // By the server that runs, if there is one; nobody is waited for.
  PublishStatus publish(const Publication& publication) {
    const base::Gate::Pass inside(publishers_);
    return inside ? server_->sockets().publish(publication) : PublishStatus::Dropped;
  }

  // Returns when the loops run; what becomes of the start, Server::await_start() tells.
  std::shared_ptr<server::Server> launch(app::Core& core, const Options& options, base::Function<void()> on_ended) {
    if (server()) throw SetupError(runs_already);
    core.freeze();
    const unsigned threads = options.threads != 0 ? options.threads : server::usable_processors();
    core.prepare_loops(threads);
    std::shared_ptr<server::Server> server;
    try {
      server = std::make_shared<server::Server>(core, settings_of(options, threads), log_options_of(options.log));
    } catch (const std::exception& error) {
      throw SetupError(error.what());
    }
    const auto listening = server->listen(listeners_of(options), threads);
    if (!listening) throw SetupError(listening.error().message);
    server->log().write(server::Severity::Info, "serving " + all_addresses(*server) + " with " +
                                                    std::to_string(threads) + (threads == 1 ? " loop" : " loops"));
    if (Bus* bus = core.bus()) server->sockets().connect(*bus);
    server::Hooks hooks = hooks_of(core, *server);
    hooks.on_ended = std::move(on_ended);
    // Before the first request, whose handler may call stop().
    if (!replace(nullptr, server)) throw SetupError(runs_already);
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

  // False when another one is there by now. Publishers are waited for without the mutex, which a bus of the user's may
  // need to return.
  bool replace(const server::Server* before, std::shared_ptr<server::Server> after) {
    const std::lock_guard one_at_a_time(replacing_);
    if (server().get() != before) return false;
    const bool serves = after != nullptr;
    publishers_.close();
    {
      const std::lock_guard lock(mutex_);
      server_.swap(after);
    }
    if (serves) publishers_.open();
    return true;
  }

  static constexpr const char* runs_already = "the app runs already: stop() and wait() come before the next start()";

  std::mutex replacing_;
  mutable std::mutex mutex_;  // for the pointer
  std::shared_ptr<server::Server> server_;
  base::Gate publishers_{false};  // inside, the pointer does not change and needs no mutex
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
  server->stop(server->settings().drain_timeout);
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
  const Executor* executor = Executor::current();  // in tests without a server, that of the test client
  if (!server && executor == nullptr) throw SetupError("spawn() was called while the app does not run");
  tern::spawn(std::move(task));
}

std::uint16_t App::port(std::size_t listener) const noexcept {
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
  return runner_->publish(publication);
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
      // Now that the server's threads exist, which do not inherit that signals are held.
      await_end(*server, signals, forced_exit, hooks ? exit_time_with_hooks : exit_time);
    } catch (const std::system_error& error) {
      server->log().write(server::Severity::Error,
                          "stopping, since signals cannot be waited for: " + std::string(error.what()));
      server->stop(server->settings().drain_timeout);
    }
    wait();
    server->await_start();
    return 0;
  } catch (const Cancelled&) {
    return 0;  // it was told to end before it had started
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tern: cannot serve: %s\n", error.what());
    return 1;
  }
}

}  // namespace tern
