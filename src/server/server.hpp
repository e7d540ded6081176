// A server: loops on threads, each with a listening socket of the same address, and one service that answers.
#pragma once

#include "net/error.hpp"
#include "server/bus_desk.hpp"
#include "server/certificates.hpp"
#include "server/life.hpp"
#include "server/listening.hpp"
#include "server/log.hpp"
#include "server/settings.hpp"
#include "server/worker.hpp"

#include <tern/http/exchange.hpp>
#include <tern/net/thread_pool.hpp>

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tern::server {

// The pool of an app's offloaded work; its threads are made when they are first needed.
class LazyPool final : public Offloader {
public:
  LazyPool(unsigned threads, std::size_t queue) noexcept : threads_(threads), queue_(queue) {}
  bool submit(Priority priority, Job& job) noexcept override;
  bool withdraw(Job& job) noexcept override;

private:
  const unsigned threads_;
  const std::size_t queue_;
  std::once_flag made_;
  std::unique_ptr<ThreadPool> pool_;
};

class Server {
public:
  // `service` outlives the server.
  Server(const Service& service, Settings settings, const Log::Options& log);
  // Stops at once, if it still runs.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Makes `loops` loops with a listening socket for each of `listeners`, at least one; clients can connect, but are not
  // served yet. Once.
  std::expected<void, net::Error> listen(const std::vector<Listening>& listeners, unsigned loops);
  // Serves, as soon as the hook on_start has ended. After listen(), once. Throws std::system_error when there is no
  // thread for a loop; nothing runs then.
  void start(Hooks hooks = {});
  // Blocks until the hook has ended; throws what it threw, or Cancelled when the server was stopped before that. Not
  // from a loop's thread.
  void await_start() { life_.await_start(); }

  // After listen(), from any thread, also a loop's: begins to drain; connections that are busy after `timeout` are
  // aborted. May be called again with a shorter one.
  void stop(Milliseconds timeout);
  // Until everything has ended; what has not, at the end of the drain, is destroyed here. Not from a loop's thread.
  void wait();
  // To the WebSockets; from any thread.
  SocketBus& sockets() noexcept { return shared_.sockets; }
  BusHost& bus_host() noexcept { return bus_desk_; }
  // Whether the calling thread is one of the loops'.
  bool on_a_loop() const noexcept;

  // Loads the certificates again; from any thread, after start(). What is wrong with them is the answer; empty:
  // nothing.
  std::string reload_certificates() { return certificates_.reload(); }

  // Of a listener, in the order of listen(); 0 and empty when there are not so many.
  std::uint16_t port(std::size_t listener = 0) const noexcept;
  std::string address(std::size_t listener = 0) const;
  const Settings& settings() const noexcept { return settings_; }
  Log& log() noexcept { return log_; }
  // Where what comes from other threads runs. After listen().
  Executor& first_loop() noexcept { return workers_.front()->loop(); }
  std::vector<std::unique_ptr<Worker>>& workers() noexcept { return workers_; }
  const MemoryBudget& memory() const noexcept { return shared_.memory; }  // for tests

private:
  struct Place {
    std::uint16_t port;
    std::string name;
  };
  std::expected<void, net::Error> open(const Listening& listening);

  const Settings settings_;
  Log log_;
  Shared shared_;
  BusDesk bus_desk_{shared_.sockets, log_};
  LazyPool pool_;  // outlives the workers, whose handlers wait for it
  std::vector<std::unique_ptr<Worker>> workers_;
  Life life_{workers_};
  std::mutex threads_mutex_;  // for the next two
  std::vector<std::thread> threads_;
  bool cleared_ = false;
  std::atomic<std::size_t> running_ = 0;
  std::vector<Place> places_;  // of the listeners
  Certificates certificates_;  // ends first: it posts to the workers
};

}  // namespace tern::server
