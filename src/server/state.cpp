// What every loop does, in lines of the log: Server::log_state().
#include "exchange/http_exchange.hpp"
#include "server/server.hpp"
#include "server/timer_text.hpp"
#include "server/wait_text.hpp"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tern::server {
namespace {

constexpr std::string_view part = "state";
constexpr std::chrono::milliseconds patience{500};
constexpr std::size_t max_requests = 200;  // of each loop

// Shared by the asking thread and the loops that have not answered yet.
struct Answers {
  explicit Answers(std::size_t loops) : answered(loops) {}
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> answered;
  std::size_t count = 0;
};

void write_request(logging::Log& log, exchange::HttpExchange& exchange, std::uint64_t now) {
  const double seconds = double(now - exchange.started()) * 1e-9;
  const char* const awaited = exchange.awaited();
  const std::string chain = wait_text(exchange);
  const LogFields known = {{"seconds", seconds},
                           {"awaits", awaited == nullptr ? "" : awaited},
                           {"chain", chain},
                           {"remote", exchange.remote()}};
  const LogFields unknown = {{"remote", exchange.remote()}};  // without an observer, nothing is timed
  log.write({LogLevel::Warning, part, "is in flight", exchange.started() == 0 ? unknown : known, &exchange.request()});
}

void write_loop(logging::Log& log, Worker& worker) {
  std::size_t requests = 0;
  worker.context().for_each_exchange([&](const exchange::HttpExchange& one) { requests += one.in_flight() ? 1 : 0; });
  const ArmedTimers timers = armed_timers(worker.loop(), max_timers);
  std::string kinds;
  for (const http::TimerKind& kind : timers.kinds) {
    if (!kinds.empty()) kinds += ", ";
    kinds.append(kind.what).append(" ").append(std::to_string(kind.count));
  }
  const LogFields fields = {{"loop", worker.loop().index()},
                            {"sockets", worker.loop().streams()},
                            {"requests", requests},
                            {"offloaded", worker.loop().outstanding_jobs()},
                            {"posted", worker.loop().posted()},
                            {"timers", timers.count},
                            {"timer_kinds", kinds},
                            {"iterations", worker.loop().counters().iterations.value()},
                            {"draining", worker.draining()}};
  log.write({LogLevel::Warning, part, "a loop", fields});
  for (const http::NextTimer& timer : timers.next) {
    const LogFields due = {{"loop", worker.loop().index()}, {"milliseconds", timer.milliseconds}, {"for", timer.what}};
    log.write({LogLevel::Warning, part, "a timer", due});
  }
  const std::uint64_t now = exchange::LoopContext::nanoseconds();
  std::size_t left = max_requests;
  worker.context().for_each_exchange([&](exchange::HttpExchange& one) {
    if (one.in_flight() && left != 0 && left-- != 0) write_request(log, one, now);
  });
}

}  // namespace

void Server::log_state() noexcept {
  try {
    const ThreadPool::Counts pool = pool_.counts();
    const LogFields jobs = {{"running", pool.running}, {"queued", pool.queued}, {"done", pool.done}};
    log_.write({LogLevel::Warning, part, "the pool", jobs});
    const auto answers = std::make_shared<Answers>(workers_.size());
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      workers_[i]->loop().post([this, answers, i] {
        try {
          write_loop(log_, *workers_[i]);
        } catch (const std::bad_alloc&) {  // then there is less to read
        }
        const std::lock_guard lock(answers->mutex);
        answers->answered[i] = true;
        ++answers->count;
        answers->changed.notify_one();
      });
    }
    std::unique_lock lock(answers->mutex);
    const auto until = std::chrono::system_clock::now() + patience;
    answers->changed.wait_until(lock, until, [&] { return answers->count == workers_.size(); });
    const std::lock_guard threads(threads_mutex_);
    for (std::size_t i = 0; i < answers->answered.size() && i < threads_.size(); ++i) {
      if (answers->answered[i] || !threads_[i].joinable()) continue;
      const Interruption found = interrupt(threads_[i].native_handle(), workers_[i]->loop());
      const LogFields fields = {{"loop", i}, {"posted", found.posted}, {"stack", found.stack}};
      log_.write({LogLevel::Warning, part, "a loop does not answer", fields});
    }
  } catch (const std::exception&) {
    log_.error("there is no memory to write down what the loops do");
  }
}

}  // namespace tern::server
