// The composition root: connects an App and a server.
#include <tern/app/app.hpp>

#include "app/core.hpp"
#include "base/gate.hpp"
#include "http/topic.hpp"
#include "server/machine.hpp"
#include "server/server.hpp"
#include "tern/forced_exit.hpp"
#include "tern/inheritance.hpp"
#include "tern/life.hpp"
#include "tern/reload.hpp"
#include "tern/resolved_options.hpp"
#include "tern/running_logs.hpp"
#include "tern/service_manager.hpp"
#include "tern/signals.hpp"
#include "tern/supervisor.hpp"

#include <tern/coro/cancelled.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

std::vector<std::string> names_of(const std::vector<transport::ListenerConfig>& listeners) {
  std::vector<std::string> names;
  for (const transport::ListenerConfig& listener : listeners) names.push_back(listener.name);
  return names;
}

// What run() adds to a start.
struct Launch {
  Inheritance inheritance = {};
  base::Function<void(const std::string& status)> on_serving = {};
  base::Function<void()> on_ended = {};
};

// For the command `tern routes`, which reads it.
int print_routes(const std::vector<RouteInfo>& routes) {
  std::string text = "tern routes 1\n";
  for (const RouteInfo& route : routes) {
    text.append(route.method_name()).append("\t").append(route.pattern).append("\t").append(route.name).append("\t");
    if (!route.listener.empty()) text += "listener " + route.listener;
    if (!route.host.empty()) text += "host " + route.host;
    text.push_back('\n');
  }
  return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
}

// Whether clients are on this machine, and no proxy of it reports other ones. By the addresses that are bound:
// inherited sockets have others than the options.
bool serves_this_machine_only(const server::Server& server, const Options& options) {
  for (std::size_t i = 0; !server.address(i).empty(); ++i) {
    const std::string address = server.address(i);
    if (!address.starts_with("127.") && !address.starts_with("[::1]:")) return false;
  }
  return options.proxies.trusted.empty();
}

}  // namespace

class App::Runner {
public:
  // The running server, or null. Shared ownership keeps it alive.
  std::shared_ptr<server::Server> server() const {
    const std::lock_guard lock(mutex_);
    return server_;
  }

  // Those of the last start.
  Options options() const {
    const std::lock_guard lock(mutex_);
    return options_;
  }

  // By the running server, if there is one; does not wait.
  PublishStatus publish(const Publication& publication) {
    const base::Gate::Pass inside(publishers_);
    return inside ? server_->sockets().publish(publication) : PublishStatus::Dropped;
  }

  // Returns when the loops run; Server::await_start() has the result of the start.
  std::shared_ptr<server::Server> launch(app::Core& core, Options options, Launch with = {}) {
    if (server()) throw SetupError(runs_already);
    core.freeze();
    const Options given = options;
    options.listeners.insert(options.listeners.end(), core.own_listeners().begin(), core.own_listeners().end());
    std::vector<transport::ListenerConfig> listeners = listeners_of(options);
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
    give_to_listeners(with.inheritance, listeners);
    if (given.handover) server->keep_sockets();
    const auto listening = server->listen(listeners, threads);
    if (!listening) throw SetupError(listening.error().message);
    core.serve_local_hosts_only(serves_this_machine_only(*server, options));
    const std::string status =
        "serving " + all_addresses(*server) + " with " + std::to_string(threads) + (threads == 1 ? " loop" : " loops");
    server->log().write(LogLevel::Info, status);
    if (Bus* bus = core.bus()) server->sockets().connect(*bus);
    server::Hooks hooks = hooks_of(core, *server);
    hooks.on_ended = std::move(with.on_ended);
    if (with.on_serving) {
      hooks.on_serving = [f = std::move(with.on_serving), status] { f(status); };
    }
    // Before the first request, whose handler may call stop().
    if (!replace(nullptr, server)) throw SetupError(runs_already);
    remember(given);
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
  void remember(const Options& options) {
    const std::lock_guard lock(mutex_);
    options_ = options;
  }

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
  mutable std::mutex mutex_;  // guards the next two
  std::shared_ptr<server::Server> server_;
  Options options_;
  base::Gate publishers_{false};  // inside, the pointer is constant and needs no mutex
};

App::App() : core_(base::make_box<app::Core>()), runner_(base::make_box<Runner>()), root_(*core_, 0) {}
App::App(App&&) noexcept = default;

App::~App() {
  if (runner_) stop();
}

void App::start(const Options& options) {
  const auto server = runner_->launch(*core_, options);
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

std::vector<std::string> App::apply(const Options& options) {
  const auto server = runner_->server();
  if (!server) return {};
  const exchange::Settings& before = server->settings();
  exchange::Settings settings = settings_of(options, static_cast<unsigned>(server->loops()));
  keep_what_cannot_change(before, settings);
  server->log().levels().set(options.logging.level);
  server->replace_settings(std::move(settings));
  core_->serve_local_hosts_only(serves_this_machine_only(*server, options));
  std::vector<std::string> names = differences_that_need_a_restart(runner_->options(), options);
  if (names.empty()) return names;
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  server->log().write(LogLevel::Warning, "these options change with the next start: " + all);
  return names;
}

void App::set_log_level(LogLevel level, std::string_view part) {
  const auto server = runner_->server();
  if (server && !server->set_log_level(level, part))
    throw std::length_error("too many parts have a level of their own");
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

int App::run(const Options& given) {
  if (std::getenv("TERN_ROUTES") != nullptr) return print_routes(routes());
  Options options = given;
  try {
    if (take_reload()) {
      add_reload(*this);
      options.timeouts.drain_idle = Milliseconds(100);  // the next program is to serve soon
    }
    const ServiceManager manager;
    Supervision supervision{.core = *core_, .manager = manager, .program = {}};
    if (options.handover) supervision.program = Program::this_one();
    Inheritance inheritance = take_inheritance();
    const net::Descriptor predecessor = std::move(inheritance.predecessor);
    inheritance.predecessor = predecessor ? predecessor.duplicate() : net::Descriptor();
    ForcedExit forced_exit;  // outlives the server, which waits for the pool's threads
    SignalScope signals(options.handover);
    const auto server = runner_->launch(
        *core_, options,
        {std::move(inheritance), [&](const std::string& status) { report_start(manager, predecessor, status); },
         [&signals] { signals.end(); }});
    try {
      // The server's threads exist now, and do not inherit the blocked signals.
      Supervisor(supervision, *server, signals, forced_exit).run();
    } catch (const std::exception&) {  // nothing may leave this block while the server runs
      server->log().failure("stopping, since signals cannot be waited for", std::current_exception());
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
