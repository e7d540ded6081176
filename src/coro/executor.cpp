#include <tern/coro/executor.hpp>

#include <tern/base/expects.hpp>
#include <tern/coro/context.hpp>

#include <atomic>
#include <ctime>
#include <mutex>

namespace tern {
namespace {

// What the calling thread runs, and for whom.
struct Running {
  Executor* executor = nullptr;
  coro::Context* context = nullptr;
};
thread_local constinit Running running;

}  // namespace

std::int64_t Timers::unix_time() const noexcept {
  return std::time(nullptr);
}

Turn::~Turn() {
  if (executor_ != nullptr) executor_->cancel(*this);
}

Attachment::~Attachment() {
  if (previous_ == nullptr) return;
  *previous_ = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

void Executor::attach(Attachment& attachment) noexcept {
  attachment.next_ = attachments_;
  attachment.previous_ = &attachments_;
  if (attachments_ != nullptr) attachments_->previous_ = &attachment.next_;
  attachments_ = &attachment;
}

Attachment* Executor::attached(const void* owner) const noexcept {
  Attachment* found = attachments_;
  while (found != nullptr && found->owner_ != owner) found = found->next_;
  return found;
}

void Executor::end_attachments() noexcept {
  while (Attachment* first = attachments_) {
    attachments_ = first->next_;
    if (attachments_ != nullptr) attachments_->previous_ = &attachments_;
    first->next_ = nullptr;
    first->previous_ = nullptr;
    first->on_executor_end();
  }
}

Executor* Executor::current() noexcept {
  return running.executor;
}

Executor* Executor::make_current(Executor* executor) noexcept {
  return std::exchange(running.executor, executor);
}

coro::Context* coro::Context::current() noexcept {
  return running.context;
}

coro::Context* coro::Context::make_current(Context* context) noexcept {
  return std::exchange(running.context, context);
}

Executor::~Executor() {
  base::expects(attachments_ == nullptr, "an executor with attachments ends them before it is destroyed");
  base::expects(outstanding_jobs_ == 0, "no job is outstanding when its executor is destroyed");
  while (Turn* turn = turns_.pop()) turn->executor_ = nullptr;
}

// The post is also under the lock: as soon as the turn is visible, the executor's thread may call it, and a waiting
// thread may destroy the executor. The destruction waits for the lock in await_turn() or run_turns().
void Executor::schedule(Turn& turn) noexcept {
  const std::scoped_lock lock(turns_mutex_);
  base::expects(turn.executor_ == nullptr, "a turn is scheduled once at a time");
  const bool first = turns_.empty();
  turn.executor_ = this;
  turns_.push(turn);
  if (awaiting_ != 0) {
    ++std::atomic_ref(arrivals_);
    std::atomic_ref(arrivals_).notify_all();
  }
  if (first) post_turns();
}

void Executor::post_turns() {
  post([this] { run_turns(); });
}

void Executor::resume_turns() {
  const std::scoped_lock lock(turns_mutex_);
  if (!turns_.empty()) post_turns();
}

// Turns that are scheduled meanwhile run in the next post. taken_ is a member, so that a turn that destroys others can
// unlink them from it.
void Executor::run_turns() noexcept {
  {
    const std::scoped_lock lock(turns_mutex_);
    taken_.splice(turns_);
  }
  while (true) {
    Turn* turn = nullptr;
    {
      const std::scoped_lock lock(turns_mutex_);
      turn = taken_.pop();
      if (turn == nullptr) return;
      turn->executor_ = nullptr;
    }
    turn->on_turn();
  }
}

void Executor::cancel(Turn& turn) noexcept {
  const std::scoped_lock lock(turns_mutex_);
  turn.unlink();
  turn.executor_ = nullptr;
}

bool Executor::scheduled(const Turn& turn) noexcept {
  const std::scoped_lock lock(turns_mutex_);
  return turn.executor_ != nullptr;
}

void Executor::await_turn(Turn& turn) noexcept {
  std::unique_lock lock(turns_mutex_);
  ++awaiting_;
  while (turn.executor_ == nullptr) {
    const unsigned before = std::atomic_ref(arrivals_).load();
    lock.unlock();
    std::atomic_ref(arrivals_).wait(before);
    lock.lock();
  }
  --awaiting_;
  turn.unlink();
  turn.executor_ = nullptr;
}

}  // namespace tern
