#include "server/server.hpp"

#include "server/machine.hpp"
#include "server/retry_without_memory.hpp"

#include <tern/base/utf8.hpp>

#include <sys/stat.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

namespace tern::server {

bool LazyPool::submit(Priority priority, Job& job) noexcept {
  try {
    std::call_once(made_, [this] {
      pool_ = std::make_unique<ThreadPool>(
          ThreadPoolOptions{.threads = threads_, .queue = queue_, .nice = nice_, .sheds_load = sheds_load_});
      made_pool_ = pool_.get();
    });
  } catch (...) {
    return false;  // no threads available: the next call tries again
  }
  return pool_->submit(priority, job);
}

bool LazyPool::withdraw(Job& job) noexcept {
  return pool_->withdraw(job);
}

ThreadPool::Counts LazyPool::counts() const {
  const ThreadPool* const pool = made_pool_;
  return pool == nullptr ? ThreadPool::Counts() : pool->counts();
}

Server::Server(const Service& service, exchange::Settings settings, const LogOptions& log)
    : settings_(std::move(settings)),
      log_(log),
      shared_{settings_, service, log_},
      pool_(settings_.pool_threads != 0 ? settings_.pool_threads : usable_processors(), settings_.pool_queue,
            settings_.pool_sheds_load, static_cast<int>(settings_.pool_nice)),
      certificates_(log_, settings_.certificate_period) {
  // The first check of a long text selects an implementation for this processor, which allocates: not on a loop.
  static_cast<void>(base::is_utf8(std::string(1024, 'x')));
}

Server::~Server() {
  stop(Milliseconds(0));
  wait();
}

std::expected<void, net::Error> Server::listen(const std::vector<transport::ListenerConfig>& listeners,
                                               unsigned loops) {
  const auto room_again = [this] {
    for (const auto& worker : workers_) worker->accept_again();
  };
  for (unsigned i = 0; i < loops; ++i) {
    workers_.push_back(std::make_unique<Worker>(shared_, i, room_again, [this] { life_.worker_drained(); }));
    workers_.back()->loop().set_offloader(&pool_);
    workers_.back()->loop().set_index(i);
    workers_.back()->loop().buffer_pool().limit(settings_.buffered / 8 / loops);
  }
  for (const transport::ListenerConfig& listening : listeners) {
    if (auto opened = open(listening); !opened) {
      workers_.clear();
      places_.clear();
      return opened;
    }
  }
  return {};
}

namespace {

// The sockets of one listener, for each loop.
std::expected<std::vector<std::vector<net::ListenSocket>>, net::Error> sockets_of(
    const transport::ListenerConfig& listening, std::size_t loops) {
  if (listening.inherited) {
    return net::share_out(std::move(*listening.inherited), loops, listening.owns_inherited_files);
  }
  auto sockets = net::listen(listening.address, loops);
  if (!sockets) return std::unexpected(std::move(sockets.error()));
  std::vector<std::vector<net::ListenSocket>> result(loops);
  for (std::size_t i = 0; i < loops; ++i) result[i].push_back(std::move((*sockets)[i]));
  return result;
}

}  // namespace

std::expected<void, net::Error> Server::open(const transport::ListenerConfig& listening) {
  auto sockets = sockets_of(listening, workers_.size());
  if (!sockets) return std::unexpected(std::move(sockets.error()));
  const net::ListenSocket& first = sockets->front().front();
  const std::string name = places_.emplace_back(first.address.port(), first.name, listening.name).address;
  transport::Certificates::Context context;
  if (listening.tls) {
    auto loaded = certificates_.load(places_.size() - 1, name, *listening.tls);
    if (!loaded) return std::unexpected(net::Error{net::Fault::System, 0, std::move(loaded.error())});
    context = std::move(*loaded);
  }
  if (keeps_sockets_) keep(listening.name, *sockets);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i]->listen(std::move((*sockets)[i]), {context, listening.proxied, listening.name})) continue;
    const int error = errno;
    return std::unexpected(net::Error{net::Fault::System, error, name + ": " + std::strerror(error)});
  }
  return {};
}

void Server::keep(const std::string& name, const std::vector<std::vector<net::ListenSocket>>& sockets) {
  const std::lock_guard lock(kept_mutex_);
  std::vector<ino_t> seen;  // loops may share a socket
  for (const auto& of_loop : sockets) {
    for (const net::ListenSocket& socket : of_loop) {
      struct stat status{};
      ::fstat(socket.descriptor.number(), &status);
      if (std::ranges::count(seen, status.st_ino) != 0) continue;
      seen.push_back(status.st_ino);
      if (auto copy = socket.descriptor.duplicate()) kept_.push_back({std::move(copy), socket.file, name});
    }
  }
}

std::vector<KeptSocket> Server::take_kept_sockets() {
  const std::lock_guard lock(kept_mutex_);
  return std::move(kept_);
}

void Server::keep_sockets_again(std::vector<KeptSocket> sockets) {
  const std::lock_guard lock(kept_mutex_);
  if (stage_ != Stage::Draining) kept_ = std::move(sockets);
}

void Server::replace_settings(exchange::Settings settings) {
  const std::lock_guard lock(replacing_);
  later_settings_.push_back(std::make_unique<const exchange::Settings>(std::move(settings)));
  shared_.replace_settings(*later_settings_.back());
  for (const auto& worker : workers_) worker->accept_again();  // there may be more connections now
}

std::uint16_t Server::port(std::size_t listener) const noexcept {
  return listener < places_.size() ? places_[listener].port : std::uint16_t{0};
}

std::uint16_t Server::port(std::string_view listener) const noexcept {
  const auto place = std::ranges::find(places_, listener, &Place::name);
  return place == places_.end() ? std::uint16_t{0} : place->port;
}

std::string Server::address(std::size_t listener) const {
  return listener < places_.size() ? places_[listener].address : std::string();
}

void Server::start(Hooks hooks) {
  life_.prepare(std::move(hooks));
  const std::lock_guard lock(threads_mutex_);
  running_ = workers_.size();
  try {
    if (settings_.stall.count() != 0) stalls_ = std::make_unique<StallWatch>(log_, settings_.stall);
    certificates_.watch([this](std::size_t listener, const transport::Certificates::Context& context) {
      for (const auto& worker : workers_) worker->use(listener, context);
    });
    for (const auto& worker : workers_) {
      threads_.emplace_back([this, &worker = *worker] {
        if (stalls_) stalls_->enter(worker.loop().index(), worker.loop());
        worker.run();
        if (stalls_) stalls_->leave(worker.loop().index());
        if (--running_ == 0) life_.ended();
      });
    }
  } catch (...) {
    for (const auto& worker : workers_) worker->loop().stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    throw;
  }
  life_.begin();
}

bool Server::set_log_level(std::optional<LogLevel> level, std::string_view part) {
  logging::PartLevels& levels = log_.levels();
  if (part.empty()) {
    levels.set(level.value_or(levels.level()));
  } else if (level) {
    return levels.set(part, *level);
  } else {
    levels.unset(part);
  }
  return true;
}

bool Server::retire() {
  const bool delays = settings().drain_delay.count() > 0 && life_.is_serving();
  Stage before = Stage::Serving;
  if (delays && stage_.compare_exchange_strong(before, Stage::Delaying)) {
    log_.write(LogLevel::Info, "stopping, after a delay in which requests are served as before");
    retry_without_memory([this] {
      first_loop().post([this] {
        if (stage_ == Stage::Delaying) first_loop().timers().arm(delay_timer_, settings().drain_delay);
      });
    });
    return false;
  }
  if (stage_.exchange(Stage::Draining) == Stage::Draining) return true;
  log_.write(LogLevel::Info, "stopping: requests in flight may end");
  stop(settings().drain_timeout);
  return false;
}

void Server::stop(Milliseconds timeout) {
  stage_ = Stage::Draining;
  static_cast<void>(take_kept_sockets());  // or clients could still connect
  for (const auto& worker : workers_) retry_without_memory([&] { worker->drain(timeout); });
  if (workers_.empty()) return;
  retry_without_memory([this, timeout] { first_loop().post([this, timeout] { life_.limit_on_stop(timeout); }); });
}

void Server::wait() {
  {
    const std::lock_guard lock(threads_mutex_);  // several threads may wait
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    if (std::exchange(cleared_, true)) return;
  }
  // Not in the destructor: the last reference to the server may be held by a thread that one of these frames joins.
  life_.clear();
  for (const auto& worker : workers_) worker->clear();
  life_.cleared();
}

bool Server::on_a_loop() const noexcept {
  for (const auto& worker : workers_) {
    if (Executor::current() == &worker->loop()) return true;
  }
  return false;
}

}  // namespace tern::server
