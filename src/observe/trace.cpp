#include "observe/trace.hpp"

#include "observe/trace_context.hpp"
#include "observe/tracer.hpp"

#include <chrono>
#include <iterator>
#include <new>
#include <utility>

namespace tern {
namespace observe {

std::uint64_t unix_nanoseconds() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::uint64_t mixed(std::uint64_t number) noexcept {
  number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
  number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
  return number ^ (number >> 31U);
}

SpanId Trace::next_id() noexcept {
  const std::lock_guard lock(mutex_);
  SpanId fresh = {};
  fill_id(fresh, 0, mixed(++seed));
  return fresh;
}

void Trace::add(FinishedSpan step) noexcept {
  Tracer* keeper = nullptr;
  try {
    const std::lock_guard lock(mutex_);
    if (count_ == max_steps) return;
    ++count_;
    if (!settled_) return steps_.push_back(std::move(step));
    keeper = keeper_;
  } catch (const std::bad_alloc&) {
    return;
  }
  if (keeper != nullptr) keeper->keep_late(std::move(step), id);
}

std::shared_ptr<Trace> Trace::for_tasks() {
  if (auto self = self_.lock()) return self;
  if (tasks_ == nullptr) {
    auto made = std::make_shared<Trace>();
    made->trace = trace;
    made->id = id;
    made->parent = parent;
    made->sampled = sampled;
    made->self_ = made;
    const std::lock_guard lock(mutex_);
    made->seed = mixed(++seed);
    tasks_ = std::move(made);
  }
  return tasks_;
}

void Trace::settle(std::vector<FinishedSpan>& spans, Tracer* keeper) {
  const std::lock_guard lock(mutex_);
  std::vector<FinishedSpan> steps = std::move(steps_);
  settled_ = true;
  keeper_ = keeper;
  if (keeper != nullptr) std::ranges::move(steps, std::back_inserter(spans));
  if (tasks_ != nullptr) tasks_->settle(spans, keeper);
}

namespace {

// Of a spawned task.
class TaskContext final : public StepContext {
public:
  TaskContext(std::shared_ptr<Trace> trace, const SpanId& id) noexcept
      : StepContext(trace.get(), id), owned_(std::move(trace)) {}

private:
  std::shared_ptr<Trace> owned_;
};

}  // namespace

void StepContext::record(const coro::Step& step) noexcept {
  try {
    FinishedSpan span;
    span.trace = trace_->trace;
    span.id = trace_->next_id();
    span.parent = id_;
    span.name = step.name;
    span.failed = !step.fault.empty();
    span.fault = step.fault;
    span.end = unix_nanoseconds();
    span.start = span.end - step.nanoseconds;
    for (const coro::StepValue& value : step.values) {
      span.attributes.emplace_back(value.name,
                                   value.is_text ? SpanValue(std::string(value.text)) : SpanValue(value.number));
    }
    trace_->add(std::move(span));
  } catch (const std::bad_alloc&) {
  }
}

base::Box<coro::Context> StepContext::fork() {
  return base::Box<coro::Context>(new TaskContext(trace_->for_tasks(), id_));
}

}  // namespace observe

CurrentSpan::CurrentSpan(observe::Trace* trace, const SpanId& id) noexcept : StepContext(trace, id) {
  if (trace != nullptr) previous_ = coro::Context::make_current(this);
}

// It is not current while its coroutine waits, and may be destroyed then.
CurrentSpan::~CurrentSpan() {
  if (coro::Context::current() == this) coro::Context::make_current(previous_);
}

}  // namespace tern
