// The traces of an app: which requests are kept, and how their spans reach the exporter.
#pragma once

#include "observe/trace.hpp"

#include <tern/base/function.hpp>
#include <tern/coro/task.hpp>
#include <tern/http/exchange.hpp>
#include <tern/http/log_options.hpp>
#include <tern/http/observer.hpp>
#include <tern/observe/tracing.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tern::observe {

class Tracer {
public:
  using Log = base::Function<void(LogLevel, std::string_view)>;
  Tracer(TracingOptions options, Log log);

  // Before the loops run.
  void prepare(std::size_t loops);
  // On the loop of the exchange. Without memory, the request has no trace.
  void begin(Exchange& exchange) noexcept;
  // Returns the trace if it is kept; otherwise null. `end` is null for a client that has disconnected.
  const Trace* end(Exchange& exchange, const http::RequestEnd* end) noexcept;

  // A step that has ended after its request, whose span is `request`, was kept. From any thread.
  void keep_late(FinishedSpan step, const SpanId& request) noexcept;

  // On a loop, until it is stopped: exports what has been kept.
  Task<> run();
  // Once, until nothing is left. Spans that could not be given to the pool before a stop remain for the next call.
  Task<> flush();
  void report(http::FigureSink& sink) const;
  // The last ones that were kept, the newest first, each with its steps.
  std::vector<std::vector<FinishedSpan>> recent() const;
  // How many requests were kept so far.
  std::uint64_t kept() const noexcept { return kept_; }

private:
  struct alignas(64) Random {
    std::uint64_t state = 0;
    std::uint64_t next() noexcept;
  };

  class Batch;

  bool is_kept(const Trace& trace, const http::RequestEnd* end) const noexcept;
  void keep(std::vector<FinishedSpan> spans);
  // With the mutex.
  void enqueue(std::span<const FinishedSpan> spans);

  TracingOptions options_;
  Log log_;
  std::uint64_t most_ = 0;  // of the last eight bytes of an id that is kept
  std::vector<Random> random_;
  mutable std::mutex mutex_;  // for the next two
  std::vector<FinishedSpan> queue_;
  std::deque<std::vector<FinishedSpan>> recent_;
  std::atomic<bool> exporting_ = false;
  std::atomic<std::uint64_t> exported_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::atomic<std::uint64_t> kept_ = 0;
};

}  // namespace tern::observe
