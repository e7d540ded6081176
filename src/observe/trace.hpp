// The trace of one request, as far as it is known: its ids, and the steps that have ended.
#pragma once

#include <tern/observe/tracing.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace tern::observe {

class Tracer;

inline constexpr std::size_t max_steps = 128;  // of a request, and of the tasks that it spawns

std::uint64_t unix_nanoseconds() noexcept;
// SplitMix64.
std::uint64_t mixed(std::uint64_t number) noexcept;

// Of a request, in its arena; or of the tasks that it spawns, which share one that may outlive the request. From any
// thread, but for what belongs to the loop of the request.
class Trace {
public:
  Trace() = default;

  SpanId next_id() noexcept;
  void add(FinishedSpan step) noexcept;
  // What spawned tasks record to; made by the first call. On the loop of the request; may throw std::bad_alloc.
  std::shared_ptr<Trace> for_tasks();

  // The request has ended: appends its steps and those of its tasks to `spans`. Later steps of tasks go to `keeper`, or
  // nowhere if that is null.
  void settle(std::vector<FinishedSpan>& spans, Tracer* keeper);

  TraceId trace = {};
  SpanId id = {};                  // of the request's span
  SpanId parent = {};              // all zero: the trace begins here
  bool sampled = false;            // kept whatever happens
  std::array<char, 32> text = {};  // of `trace`
  std::uint64_t seed = 0;          // of the ids of steps; before there are any

private:
  std::mutex mutex_;  // for the seed, and what follows
  std::vector<FinishedSpan> steps_;
  std::size_t count_ = 0;  // of all steps so far
  bool settled_ = false;
  Tracer* keeper_ = nullptr;
  std::shared_ptr<Trace> tasks_;
  std::weak_ptr<Trace> self_;  // of one that tasks share
};

// The context of a request. Lives beside its trace.
class RequestContext final : public StepContext {
public:
  RequestContext() : StepContext(&own, {}) {}
  void set_id(const SpanId& id) noexcept { id_ = id; }

  Trace own;
};

}  // namespace tern::observe
