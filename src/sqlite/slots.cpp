#include "sqlite/slots.hpp"

#include <tern/coro/offload.hpp>

namespace tern::sqlite {

Connection& Lease::connection() const {
  if (!slot_->connection) slot_->connection = std::make_unique<Connection>(slots_->options_, slots_->use_);
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

// The last used: its caches are warm.
Slot* Slots::take() noexcept {
  if (free_.empty()) return nullptr;
  Slot* const slot = free_.back();
  free_.pop_back();
  return slot;
}

// The schedule is under the mutex, so that a wait that is destroyed meanwhile is either linked or scheduled.
void Slots::give_back(Slot& slot) noexcept {
  const std::scoped_lock lock(mutex_);
  LeaseWait* const next = waiting_.pop();
  if (next == nullptr) return free_.push_back(&slot);
  --waiting_count_;
  next->slot_ = &slot;
  next->executor().schedule(*next);
}

bool LeaseWait::ready() noexcept {
  const std::scoped_lock lock(slots_.mutex_);
  slot_ = slots_.take();
  refused_ = slot_ == nullptr && slots_.waiting_count_ >= slots_.options_.max_waiting;
  return slot_ != nullptr || refused_;
}

bool LeaseWait::enter() noexcept {
  {
    const std::scoped_lock lock(slots_.mutex_);
    slot_ = slots_.take();
    if (slot_ != nullptr) return false;
    slots_.waiting_.push(*this);
    ++slots_.waiting_count_;
  }
  executor().timers().arm(*this, slots_.options_.max_wait);
  return true;
}

bool LeaseWait::leave() noexcept {
  const std::scoped_lock lock(slots_.mutex_);
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
  if (!leave()) return;
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
