// What App::run() does while its server runs: signals, the service manager, a successor.
#pragma once

#include "app/core.hpp"
#include "server/server.hpp"
#include "tern/forced_exit.hpp"
#include "tern/service_manager.hpp"
#include "tern/signals.hpp"
#include "tern/successor.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace tern {

// What a supervisor has to know beside its server.
struct Supervision {
  const app::Core& core;
  const ServiceManager& manager;
  Program program = {};  // of a successor
};

// The server serves: tells a predecessor, or else the manager. Only one process is the service for the manager, and
// the predecessor tells it who that is.
void report_start(const ServiceManager& manager, const net::Descriptor& predecessor, const std::string& status);

class Supervisor {
public:
  // All outlive it.
  Supervisor(const Supervision& supervision, server::Server& server, SignalScope& signals, ForcedExit& forced_exit)
      : core_(supervision.core),
        manager_(supervision.manager),
        program_(supervision.program),
        server_(server),
        signals_(signals),
        forced_exit_(forced_exit) {}

  // Returns when the server has ended, or cannot be stopped any more. Throws std::system_error if signals cannot be
  // waited for.
  void run();

private:
  using Clock = std::chrono::steady_clock;

  // Whether every loop has taken part since the last question.
  struct Heartbeat {
    std::atomic<std::size_t> answers = 0;
  };

  template <class F>
  void attempt(F action) noexcept;
  void stop();
  void reload();
  void begin_handover();
  void look_at_successor();
  void end_handover(const std::string& why);
  void watch();
  void ask_loops();
  std::optional<Milliseconds> time_to_wait() const;

  const app::Core& core_;
  const ServiceManager& manager_;
  const Program& program_;
  server::Server& server_;
  SignalScope& signals_;
  ForcedExit& forced_exit_;
  bool stopping_ = false;
  std::optional<Successor> successor_;
  Clock::time_point successor_due_ = {};
  std::shared_ptr<Heartbeat> heartbeat_ = nullptr;
  Clock::time_point next_watch_ = {};
};

}  // namespace tern
