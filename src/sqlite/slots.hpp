// Slots: the connections of one use, which coroutines of all loops share.
//
// Life of a wait: a free slot is taken at once. Otherwise the wait is linked, within a bound, and a slot that is given
// back goes to the first of the list, on whatever thread. A timer and the stop token end the wait; the mutex decides
// which of the three was first.
#pragma once

#include "sqlite/connection.hpp"

#include <tern/coro/list.hpp>
#include <tern/coro/waiter.hpp>
#include <tern/sql/statistics.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tern::sqlite {

class Slots;

// A place for a connection, which its first user opens.
struct Slot {
  std::unique_ptr<Connection> connection;
};

// The use of a slot, until it is destroyed or released.
class Lease {
public:
  Lease() noexcept = default;
  Lease(Slots& slots, Slot& slot) noexcept : slots_(&slots), slot_(&slot) {}
  Lease(Lease&& other) noexcept : slots_(other.slots_), slot_(std::exchange(other.slot_, nullptr)) {}
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      release();
      slots_ = other.slots_;
      slot_ = std::exchange(other.slot_, nullptr);
    }
    return *this;
  }
  ~Lease() { release(); }

  explicit operator bool() const noexcept { return slot_ != nullptr; }
  // Opens it if needed, which blocks. Throws SqlError.
  Connection& connection() const;
  void release() noexcept;

private:
  Slots* slots_ = nullptr;
  Slot* slot_ = nullptr;
};

class LeaseWait final : public coro::Waiter, public coro::Hook<LeaseWait>, private Timer {
public:
  explicit LeaseWait(Slots& slots) noexcept : slots_(slots) {}
  ~LeaseWait();

  // Throws Overloaded or Cancelled.
  Lease await_resume();

private:
  friend class Slots;
  bool ready() noexcept override;
  bool enter() noexcept override;
  bool leave() noexcept override;
  void on_turn() noexcept override;
  void on_timer() noexcept override;
  void disarm() noexcept;
  bool unlink() noexcept;  // with the mutex

  Slots& slots_;
  Slot* slot_ = nullptr;                         // guarded by the mutex of slots_ while it is linked
  std::chrono::steady_clock::time_point since_;  // while it is linked
  bool refused_ = false;
};

// From any thread.
class Slots {
public:
  Slots(const SqliteOptions& options, Connection::Use use, unsigned count);

  // Opens the first connection, before others use it. Throws SqlError.
  void open() { open(slots_.front()); }

  // co_await slots.lease()
  struct [[nodiscard]] Wait {
    LeaseWait operator co_await() const noexcept { return LeaseWait(slots); }
    Slots& slots;
  };
  Wait lease() noexcept { return {*this}; }

  // Adds the connections and the waits.
  void read(sql::Statistics& statistics) const;

private:
  friend class Lease;
  friend class LeaseWait;

  void open(Slot& slot);
  Slot* take() noexcept;
  void give_back(Slot& slot) noexcept;

  const SqliteOptions& options_;
  Connection::Use use_;
  std::vector<Slot> slots_;
  std::atomic<std::size_t> opened_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<Slot*> free_;
  coro::List<LeaseWait> waiting_;
  std::size_t waiting_count_ = 0;
  std::uint64_t refused_ = 0;
  sql::WaitTimes waits_;
};

}  // namespace tern::sqlite
