// The checks of an app, their last results, and the answers made of these (draft-inadarei-api-health-check-06).
#pragma once

#include <tern/http/observer.hpp>
#include <tern/observe/health.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace tern::observe {

enum class Question : std::uint8_t { Alive, Ready, Started };

struct HealthAnswer {
  bool passes = false;
  std::string document;  // application/health+json
};

class Health {
public:
  // Receives a line when a result changes.
  using Log = base::Function<void(LogLevel, std::string_view)>;

  explicit Health(Log log) : log_(std::move(log)) {}
  Health(const Health&) = delete;
  Health& operator=(const Health&) = delete;

  // Before the start. Throws std::invalid_argument for a name that is empty or taken.
  void add(std::string name, base::Box<coro::Work> work, CheckOptions options);
  // On a loop: begins to run the checks, in background tasks.
  void start();
  // From any thread.
  HealthAnswer answer(Question question, bool is_draining) const;

private:
  using Clock = std::chrono::steady_clock;
  enum class Result : std::uint8_t { None, Pass, Fail };

  struct Check {
    std::string name;
    base::Box<coro::Work> work;
    CheckOptions options;
    // With the mutex.
    Result result = Result::None;
    bool has_passed = false;
    bool is_running = false;
    Clock::time_point began = {};
    std::chrono::system_clock::time_point ended = {};
    double milliseconds = 0;
    std::string fault = {};
  };

  Task<> watch(Check& check);
  static Task<std::string> run(Check& check);
  void begin(Check& check);
  void end(Check& check, std::string fault);
  static std::string fault_of(const Check& check);

  Log log_;
  mutable std::mutex mutex_;
  std::deque<Check> checks_;
};

}  // namespace tern::observe
