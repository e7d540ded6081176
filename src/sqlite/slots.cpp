#include "sqlite/slots.hpp"

#include <tern/coro/executor.hpp>

#include <stdexcept>

namespace tern::sqlite {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned max_calls = 32;  // of a slot, before its thread of the pool is for others again

}  // namespace

// --- Lease

Connection& Lease::connection() const {
  return slot_->connection();
}

void Lease::release() noexcept {
  if (Slot* const slot = std::exchange(slot_, nullptr)) slots_->give_back(*slot);
}

// --- Slot

Connection& Slot::connection() {
  if (!connection_) slots_.open(*this);
  return *connection_;
}

// When a call has ended, its coroutine may end the database, unless there is a next call.
void Slot::run() noexcept {
  SlotCall* call = std::exchange(first_, nullptr);
  for (unsigned count = 1; call != nullptr; ++count) {
    SlotCall* next = nullptr;
    call->next_ = &next;
    if (!in_batch_) begin_batch();
    call->job_->run();
    call = next;
    if (call == nullptr || count < max_calls) continue;
    end_batch();
    first_ = call;
    if (call->pool_->submit(Priority::Normal, *this)) return;
    first_ = nullptr;
    count = 0;
  }
}

// Its statements see what was committed when the first of them reads, which is later than now.
void Slot::begin_batch() noexcept {
  if (slots_.use_ != Connection::Use::Read || !connection_ || !slots_.has_waiting()) return;
  batch_began_ = Clock::now();
  in_batch_ = connection_->begin_batch();
}

void Slot::end_batch() noexcept {
  if (std::exchange(in_batch_, false)) connection_->end_batch();
}

// The pool ends.
void Slot::drop() noexcept {
  Job* const job = std::exchange(first_, nullptr)->job_;
  slots_.give_back(*this);
  job->drop();
}

// --- Slots

Slots::Slots(const SqliteOptions& options, Connection::Use use, unsigned count) : options_(options), use_(use) {
  free_.reserve(count);
  for (unsigned i = 0; i < count; ++i) free_.push_back(&slots_.emplace_back(*this));
}

void Slots::open(Slot& slot) {
  slot.connection_ = std::make_unique<Connection>(options_, use_);
  opened_.fetch_add(1, std::memory_order_relaxed);
}

void Slots::read(sql::Statistics& statistics) const {
  const std::scoped_lock lock(mutex_);
  statistics.connections += opened_.load(std::memory_order_relaxed);
  statistics.in_use += slots_.size() - free_.size();
  statistics.waiting += waiting_count_;
  statistics.refused += refused_;
  statistics.waits += waits_;
}

// With the mutex. The last used: its caches are warm.
Slot* Slots::take() noexcept {
  if (free_.empty()) return nullptr;
  Slot* const slot = free_.back();
  free_.pop_back();
  waits_.add(0);
  return slot;
}

Slots::Entry Slots::enter(SlotWait& wait) noexcept {
  const std::scoped_lock lock(mutex_);
  wait.slot_ = take();
  if (wait.slot_ != nullptr) return Entry::Taken;
  if (waiting_count_ >= options_.max_waiting) {
    ++refused_;
    return Entry::Refused;
  }
  wait.since_ = Clock::now();
  waiting_.push(wait);
  ++waiting_count_;
  return Entry::Linked;
}

// False: it has a slot.
bool Slots::unlink(SlotWait& wait, bool refused) noexcept {
  const std::scoped_lock lock(mutex_);
  if (!wait.linked()) return false;
  wait.unlink();
  --waiting_count_;
  refused_ += refused ? 1 : 0;
  return true;
}

SlotCall* Slots::pass_on(Slot& slot) noexcept {
  while (true) {
    bool ends_batch = false;
    SlotCall* const next = take_next(slot, ends_batch);
    if (!ends_batch) return next;
    slot.end_batch();
  }
}

// Sets `ends_batch`, and does nothing else, if the batch of the slot has to end first, because the first that waits was
// called after its begin. A lease is scheduled under the mutex, so that one that is destroyed meanwhile is either
// linked or scheduled.
SlotCall* Slots::take_next(Slot& slot, bool& ends_batch) noexcept {
  const std::scoped_lock lock(mutex_);
  SlotWait* const next = waiting_.pop();
  if (slot.in_batch_ && (next == nullptr || !next->shares_batches() || next->since_ >= slot.batch_began_)) {
    if (next != nullptr) {  // back to the front
      coro::List<SlotWait> front;
      front.push(*next);
      front.splice(waiting_);
      waiting_.splice(front);
    }
    ends_batch = true;
    return nullptr;
  }
  if (next == nullptr) {
    free_.push_back(&slot);
    return nullptr;
  }
  --waiting_count_;
  const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - next->since_);
  waits_.add(static_cast<std::uint64_t>(waited.count()));
  next->slot_ = &slot;
  return next->on_slot(slot);
}

bool Slots::has_waiting() const noexcept {
  const std::scoped_lock lock(mutex_);
  return waiting_count_ != 0;
}

void Slots::give_back(Slot& slot) noexcept {
  while (SlotCall* const next = pass_on(slot)) {
    slot.first_ = next;
    if (next->pool_->submit(Priority::Normal, slot)) return;
    next->refuse();
  }
}

// --- LeaseWait

bool LeaseWait::ready() noexcept {
  if (Executor::current() != nullptr) return false;
  const std::scoped_lock lock(slots_.mutex_);
  slot_ = slots_.take();
  return slot_ != nullptr;
}

bool LeaseWait::enter() noexcept {
  const Slots::Entry entry = slots_.enter(*this);
  refused_ = entry == Slots::Entry::Refused;
  if (entry != Slots::Entry::Linked) return false;
  executor().timers().arm(*this, slots_.options_.max_wait);
  return true;
}

SlotCall* LeaseWait::on_slot(Slot&) noexcept {
  executor().schedule(*this);
  return nullptr;
}

bool LeaseWait::leave() noexcept {
  return slots_.unlink(*this, false);
}

void LeaseWait::on_turn() noexcept {
  disarm();
  Waiter::on_turn();
}

void LeaseWait::on_timer() noexcept {
  if (!slots_.unlink(*this, true)) return;
  refused_ = true;
  wake();
}

void LeaseWait::disarm() noexcept {
  if (armed()) executor().timers().disarm(*this);
}

LeaseWait::~LeaseWait() {
  if (waits()) leave();
  disarm();
  if (slot_ != nullptr) slots_.give_back(*slot_);
}

Lease LeaseWait::await_resume() {
  if (refused_) throw Overloaded();
  check();
  return {slots_, *std::exchange(slot_, nullptr)};
}

// --- SlotCall

SlotCall::Use::Use(SlotCall& call) : call_(call), slot_(call.slot_) {
  if (slot_ != nullptr) return;
  const std::scoped_lock lock(call.slots_.mutex_);
  slot_ = call.slots_.take();
  if (slot_ == nullptr) throw std::logic_error("a coroutine waits on a thread that has no running loop");
}

SlotCall::Use::~Use() {
  if (call_.next_ != nullptr) {
    *std::exchange(call_.next_, nullptr) = call_.slots_.pass_on(*slot_);
  } else {
    call_.slots_.give_back(*slot_);
  }
}

bool SlotCall::submit(Priority, Job& job) noexcept {
  Executor& executor = *Executor::current();
  job_ = &job;
  pool_ = executor.offloader();
  if (pool_ == nullptr) return false;
  switch (slots_.enter(*this)) {
    case Slots::Entry::Refused: return false;
    case Slots::Entry::Linked:
      timers_ = &executor.timers();
      timers_->arm(*this, slots_.options_.max_wait);
      return true;
    case Slots::Entry::Taken: break;
  }
  slot_->first_ = this;
  if (pool_->submit(Priority::Normal, *slot_)) return true;
  slots_.give_back(*slot_);
  return false;
}

bool SlotCall::withdraw(Job&) noexcept {
  return slots_.unlink(*this, false);
}

SlotCall* SlotCall::on_slot(Slot&) noexcept {
  return this;
}

void SlotCall::on_timer() noexcept {
  if (slots_.unlink(*this, true)) refuse();
}

void SlotCall::refuse() noexcept {
  refused_ = true;
  job_->drop();
}

void SlotCall::disarm() noexcept {
  if (armed()) timers_->disarm(*this);
}

}  // namespace tern::sqlite
