// A server: loops on threads, each with its own listening sockets, and one service that answers.
#pragma once

#include "exchange/settings.hpp"
#include "logging/log.hpp"
#include "net/error.hpp"
#include "server/life.hpp"
#include "server/stall_watch.hpp"
#include "server/worker.hpp"
#include "transport/certificates.hpp"
#include "transport/listener_config.hpp"
#include "websockets/bus_host.hpp"

#include <tern/base/function.hpp>
#include <tern/http/exchange.hpp>
#include <tern/http/observer.hpp>
#include <tern/net/thread_pool.hpp>

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tern::server {

// The pool of an app's offloaded work; its threads are started on first use.
class LazyPool final : public Offloader {
public:
  LazyPool(unsigned threads, std::size_t queue, bool sheds_load, int nice) noexcept
      : threads_(threads), queue_(queue), sheds_load_(sheds_load), nice_(nice) {}
  bool submit(Priority priority, Job& job) noexcept override;
  bool withdraw(Job& job) noexcept override;
  // From any thread.
  unsigned threads() const noexcept { return threads_; }
  ThreadPool::Counts counts() const;

private:
  const unsigned threads_;
  const std::size_t queue_;
  const bool sheds_load_;
  const int nice_;
  std::once_flag made_;
  std::unique_ptr<ThreadPool> pool_;
  std::atomic<const ThreadPool*> made_pool_ = nullptr;
};

// A copy of a listening socket, for a successor of this process.
struct KeptSocket {
  net::Descriptor descriptor;
  std::shared_ptr<net::SocketFile> file;  // of a Unix socket
  std::string listener;                   // its name
};

class Server final : public http::ServerView {
public:
  // `service` outlives the server.
  Server(const Service& service, exchange::Settings settings, const LogOptions& log);
  // Stops at once, if it still runs.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Before listen(): keeps a copy of each listening socket until the drain begins.
  void keep_sockets() noexcept { keeps_sockets_ = true; }
  // Those copies, in the order of listeners and loops. From any thread.
  std::vector<KeptSocket> take_kept_sockets();
  // Closes them if the drain has begun.
  void keep_sockets_again(std::vector<KeptSocket> sockets);

  // Makes `loops` loops with a listening socket for each of `listeners`, at least one; clients can connect, but are not
  // served yet. Once.
  std::expected<void, net::Error> listen(const std::vector<transport::ListenerConfig>& listeners, unsigned loops);
  // Serves when the hook on_start has ended. After listen(), once. Throws std::system_error if a thread for a loop
  // cannot be started; nothing runs then.
  void start(Hooks hooks = {});
  // Blocks until the hook has ended; throws its exception, or Cancelled if the server was stopped before. Not from a
  // loop's thread.
  void await_start() { life_.await_start(); }

  // After listen(), from any thread, also a loop's: begins to drain; connections that are busy after `timeout` are
  // aborted. May be called again with a shorter one.
  void stop(Milliseconds timeout);
  // After listen(), from any thread: stop() with the settings' times, after Settings::drain_delay, during which the
  // server serves as before. Called again, it ends the delay. Returns whether the drain had begun before.
  bool retire();
  bool is_draining() const noexcept override { return stage_ != Stage::Serving; }
  // Blocks until everything has ended; work left at the end of the drain is destroyed here. Not from a loop's thread.
  void wait();
  // To the WebSockets; from any thread.
  websockets::SocketBus& sockets() noexcept { return shared_.sockets; }
  BusHost& bus_host() noexcept { return bus_host_; }
  // Whether the calling thread is one of the loops'.
  bool on_a_loop() const noexcept;

  // Loads the certificates again; from any thread, after start(). Returns the errors; empty: none.
  std::string reload_certificates() { return certificates_.reload(); }

  // From any thread: these settings from now on, for connections and requests that begin, and for limits and timeouts
  // that are looked at. What threads and loops were made with stays: Settings::pool_threads, busy_poll and the like.
  void replace_settings(exchange::Settings settings);

  // Of a listener, in the order of listen(); 0 and empty for an index out of range.
  std::uint16_t port(std::size_t listener = 0) const noexcept;
  std::uint16_t port(std::string_view listener) const noexcept;
  std::string address(std::size_t listener = 0) const;
  const exchange::Settings& settings() const noexcept { return shared_.settings(); }
  // Writes what every loop does to the log; for one that does not answer, its stack. Not from a loop's thread; waits
  // for up to half a second.
  void log_state() noexcept;
  logging::Log& log() noexcept { return log_; }
  // The executor for calls from other threads. After listen().
  Executor& first_loop() noexcept { return workers_.front()->loop(); }
  std::vector<std::unique_ptr<Worker>>& workers() noexcept { return workers_; }
  const exchange::MemoryBudget& memory() const noexcept { return shared_.memory; }  // for tests

  // For an observer; in view.cpp.
  void report(http::FigureSink& sink) const override;
  std::vector<std::pair<std::string, std::string>> configuration() const override;
  std::size_t loops() const noexcept override { return workers_.size(); }
  void look_at(std::size_t loop, std::size_t max, base::Function<void(http::LoopState)> then) override;
  void cancel_request(std::size_t loop, std::uint64_t number, base::Function<void(bool)> then) override;
  void log(LogLevel level, std::string_view line) noexcept override { log_.write(level, line, "observe"); }
  LogLevel log_level() const noexcept override { return log_.levels().level(); }
  std::vector<PartLevel> part_levels() const override { return log_.levels().parts(); }
  bool set_log_level(std::optional<LogLevel> level, std::string_view part) override;

private:
  enum class Stage : std::uint8_t { Serving, Delaying, Draining };

  // Ends the delay, on the first loop.
  class DelayTimer final : public Timer {
  public:
    explicit DelayTimer(Server& server) noexcept : server_(server) {}
    DelayTimer(const DelayTimer&) = delete;
    DelayTimer& operator=(const DelayTimer&) = delete;
    ~DelayTimer() {
      if (armed()) server_.first_loop().timers().disarm(*this);
    }
    void on_timer() noexcept override { server_.retire(); }
    TimerPurpose purpose() const noexcept override { return {.what = "drain delay"}; }

  private:
    Server& server_;
  };

  struct Place {
    std::uint16_t port;
    std::string address;
    std::string name;
  };
  std::expected<void, net::Error> open(const transport::ListenerConfig& listening);
  void keep(const std::string& name, const std::vector<std::vector<net::ListenSocket>>& sockets);

  const exchange::Settings settings_;                                      // of the start
  std::mutex replacing_;                                                   // for the next one
  std::vector<std::unique_ptr<const exchange::Settings>> later_settings_;  // all of them: requests may refer to each
  logging::Log log_;
  exchange::SharedState shared_;
  websockets::SocketBusHost bus_host_{shared_.sockets, log_};
  LazyPool pool_;  // outlives the workers, whose handlers use it
  std::vector<std::unique_ptr<Worker>> workers_;
  Life life_{workers_};
  DelayTimer delay_timer_{*this};
  std::atomic<Stage> stage_ = Stage::Serving;
  std::unique_ptr<StallWatch> stalls_;  // if they are looked for
  std::mutex threads_mutex_;            // for the next two
  std::vector<std::thread> threads_;
  bool cleared_ = false;
  std::atomic<std::size_t> running_ = 0;
  std::vector<Place> places_;  // of the listeners
  bool keeps_sockets_ = false;
  std::mutex kept_mutex_;  // for the next one
  std::vector<KeptSocket> kept_;
  transport::Certificates certificates_;  // destroyed first: it posts to the workers
};

}  // namespace tern::server
