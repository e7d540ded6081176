#include "sqlite/slots.hpp"

#include <tern/coro/offload.hpp>

namespace tern::sqlite {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Connection& Lease::connection() const {
  if (!slot_->connection) slots_->open(*slot_);
  return *slot_->connection;
}

void Lease::release() noexcept {
  if (Slot* const slot = std::exchange(slot_, nullptr)) slots_->give_back(*slot);
}

Slots::Slots(const SqliteOptions& options, Connection::Use use, unsigned count)
    : options_(options), use_(use), slots_(count) {
  free_.reserve(count);
  for (Slot& slot : slots_) free_.push_back(&slot);
}

void Slots::open(Slot& slot) {
  slot.connection = std::make_unique<Connection>(options_, use_);
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

// The last used: its caches are warm.
Slot* Slots::take() noexcept {
  if (free_.empty()) return nullptr;
  Slot* const slot = free_.back();
  free_.pop_back();
  waits_.add(0);
  return slot;
}

// The schedule is under the mutex, so that a wait that is destroyed meanwhile is either linked or scheduled.
void Slots::give_back(Slot& slot) noexcept {
  const std::scoped_lock lock(mutex_);
  LeaseWait* const next = waiting_.pop();
  if (next == nullptr) return free_.push_back(&slot);
  --waiting_count_;
  const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - next->since_);
  waits_.add(static_cast<std::uint64_t>(waited.count()));
  next->slot_ = &slot;
  next->executor().schedule(*next);
}

bool LeaseWait::ready() noexcept {
  const std::scoped_lock lock(slots_.mutex_);
  slot_ = slots_.take();
  refused_ = slot_ == nullptr && slots_.waiting_count_ >= slots_.options_.max_waiting;
  if (refused_) ++slots_.refused_;
  return slot_ != nullptr || refused_;
}

bool LeaseWait::enter() noexcept {
  {
    const std::scoped_lock lock(slots_.mutex_);
    slot_ = slots_.take();
    if (slot_ != nullptr) return false;
    since_ = Clock::now();
    slots_.waiting_.push(*this);
    ++slots_.waiting_count_;
  }
  executor().timers().arm(*this, slots_.options_.max_wait);
  return true;
}

bool LeaseWait::leave() noexcept {
  const std::scoped_lock lock(slots_.mutex_);
  return unlink();
}

bool LeaseWait::unlink() noexcept {
  if (slot_ != nullptr) return false;
  Hook<LeaseWait>::unlink();
  --slots_.waiting_count_;
  return true;
}

void LeaseWait::on_turn() noexcept {
  disarm();
  Waiter::on_turn();
}

void LeaseWait::on_timer() noexcept {
  {
    const std::scoped_lock lock(slots_.mutex_);
    if (!unlink()) return;
    ++slots_.refused_;
  }
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

}  // namespace tern::sqlite
