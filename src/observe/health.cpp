#include "observe/health.hpp"

#include <tern/coro/cancelled.hpp>
#include <tern/coro/scope.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/coro/timeout.hpp>
#include <tern/json/json.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tern::observe {

// What the draft names its members.
struct CheckDocument {
  std::string status;
  std::optional<std::string> componentType = {};
  std::optional<double> observedValue = {};
  std::optional<std::string> observedUnit = {};
  std::optional<std::chrono::sys_seconds> time = {};
  std::optional<std::string> output = {};
};
struct HealthDocument {
  std::string status;
  std::optional<std::string> output = {};
  std::optional<std::map<std::string, std::vector<CheckDocument>>> checks = {};
};

namespace {

constexpr Milliseconds first_pause = Seconds(1);  // at most, until the first success

}  // namespace

void Health::add(std::string name, base::Box<coro::Work> work, CheckOptions options) {
  if (name.empty()) throw std::invalid_argument("a health check has no name");
  if (std::ranges::find(checks_, name, &Check::name) != checks_.end()) {
    throw std::invalid_argument("two health checks are named '" + name + "'");
  }
  checks_.push_back({std::move(name), std::move(work), std::move(options)});
}

void Health::start() {
  for (Check& check : checks_) {
    {
      const std::lock_guard lock(mutex_);
      check.result = Result::None;
      check.has_passed = check.is_running = false;
      check.fault.clear();
    }
    spawn(watch(check));
  }
}

// Until it is stopped, by the drain.
Task<> Health::watch(Check& check) {
  while (true) {
    begin(check);
    std::string fault = co_await run(check);
    const StopToken stop = co_await current_stop();
    if (stop.stop_requested()) throw Cancelled();
    end(check, std::move(fault));
    const Milliseconds pause =
        check.has_passed ? check.options.every : std::min<Milliseconds>(check.options.every, first_pause);
    co_await sleep_for(pause);
  }
}

// Returns what is wrong; empty: nothing.
Task<std::string> Health::run(Check& check) {
  std::string fault;
  try {
    Task<> work = check.work->run();
    co_await with_timeout(check.options.timeout, std::move(work));
  } catch (const TimedOut&) {
    fault = "it took longer than " + std::to_string(check.options.timeout.count()) + " ms";
  } catch (const std::exception& error) {
    fault = error.what();
    if (fault.empty()) fault = "it failed";
  } catch (...) {
    fault = "an exception that is no std::exception";
  }
  co_return fault;
}

void Health::begin(Check& check) {
  const std::lock_guard lock(mutex_);
  check.is_running = true;
  check.began = Clock::now();
}

void Health::end(Check& check, std::string fault) {
  const Result result = fault.empty() ? Result::Pass : Result::Fail;
  bool changed = false;
  {
    const std::lock_guard lock(mutex_);
    changed = check.result != result && !(check.result == Result::None && result == Result::Pass);
    check.result = result;
    check.has_passed = check.has_passed || result == Result::Pass;
    check.is_running = false;
    check.ended = std::chrono::system_clock::now();
    check.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - check.began).count();
    check.fault = fault;
  }
  if (!changed) return;
  if (result == Result::Pass) return log_(LogLevel::Info, "the health check '" + check.name + "' passes again");
  log_(LogLevel::Warning, "the health check '" + check.name + "' fails: " + fault);
}

// With the mutex. A run that is stuck has failed.
std::string Health::fault_of(const Check& check) {
  const auto running = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - check.began).count();
  if (check.is_running && running > check.options.timeout.count()) {
    return "it has run for " + std::to_string(running) + " ms and does not end";
  }
  if (check.result == Result::None) return "it has not run yet";
  return check.result == Result::Fail ? check.fault : std::string();
}

HealthAnswer Health::answer(Question question, bool is_draining) const {
  HealthDocument document{"pass"};
  if (question != Question::Alive) {
    document.checks.emplace();
    const std::lock_guard lock(mutex_);
    for (const Check& check : checks_) {
      const std::string fault = fault_of(check);
      const bool passes = question == Question::Started ? check.has_passed : fault.empty();
      CheckDocument& entry = (*document.checks)[check.name].emplace_back();
      entry.status = passes ? "pass" : check.options.critical ? "fail" : "warn";
      if (!fault.empty()) entry.output = fault;
      if (!check.options.component_type.empty()) entry.componentType = check.options.component_type;
      if (check.result != Result::None) {
        entry.observedValue = check.milliseconds;
        entry.observedUnit = "ms";
        entry.time = std::chrono::floor<std::chrono::seconds>(check.ended);
      }
      if (passes || document.status == "fail") continue;
      document.status = entry.status;
    }
  }
  if (question == Question::Ready && is_draining) {
    document.status = "fail";
    document.output = "the server stops";
  }
  return {document.status != "fail", json::to_string(document)};
}

}  // namespace tern::observe
