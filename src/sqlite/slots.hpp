// Slots: the connections of one use, which coroutines of all loops share.
//
// Life of a wait: a free slot is taken at once. Otherwise the wait is linked, within a bound, and a slot that is given
// back goes to the first of the list, on whatever thread. A timer and the stop token end the wait; the mutex decides
// which of the three was first.
//
// A transaction and a row stream have a Lease: a slot for several calls. A single statement is a SlotCall, a function
// that a thread of the pool calls. That thread goes on with the calls that wait, so that under load a statement costs
// no way to the pool, and no second way through its loop.
// Reads that waited already when that thread began a read transaction share it: what was committed before they were
// called is in it, and SQLite locks the file once for all of them.
#pragma once

#include "sqlite/connection.hpp"

#include <tern/coro/list.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/waiter.hpp>
#include <tern/sql/statistics.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tern::sqlite {

class Slots;

class SlotCall;

// A place for a connection, which its first user opens. As a job, it runs calls.
class Slot final : public Job {
public:
  explicit Slot(Slots& slots) noexcept : slots_(slots) {}

  // Throws SqlError if it cannot be opened.
  Connection& connection();

private:
  friend class Slots;
  friend class SlotCall;

  void run() noexcept override;
  void drop() noexcept override;

  Slots& slots_;
  std::unique_ptr<Connection> connection_;
  void begin_batch() noexcept;
  void end_batch() noexcept;

  SlotCall* first_ = nullptr;  // of the calls that it runs as a job
  bool in_batch_ = false;      // a read transaction of several calls is open
  std::chrono::steady_clock::time_point batch_began_;
};

// What waits for a slot.
class SlotWait : public coro::Hook<SlotWait>, protected Timer {
public:
  explicit SlotWait(Slots& slots) noexcept : slots_(slots) {}

protected:
  friend class Slots;
  ~SlotWait() = default;

  // It has got a slot, and is not linked any more. With the mutex. The call that the caller runs or submits, if any.
  virtual SlotCall* on_slot(Slot& slot) noexcept = 0;
  // Whether it is a call that may share a read transaction.
  virtual bool shares_batches() const noexcept = 0;

  Slots& slots_;
  Slot* slot_ = nullptr;                         // guarded by the mutex of slots_ while it is linked
  std::chrono::steady_clock::time_point since_;  // while it is linked
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

class LeaseWait final : public coro::Waiter, public SlotWait {
public:
  explicit LeaseWait(Slots& slots) noexcept : SlotWait(slots) {}
  ~LeaseWait();

  // Throws Overloaded or Cancelled.
  Lease await_resume();

private:
  const char* what() const noexcept override { return "database connection"; }
  bool ready() noexcept override;
  bool enter() noexcept override;
  bool leave() noexcept override;
  void on_turn() noexcept override;
  void on_timer() noexcept override;
  TimerPurpose purpose() const noexcept override { return {.what = "SQLite connection"}; }
  SlotCall* on_slot(Slot& slot) noexcept override;
  bool shares_batches() const noexcept override { return false; }
  void disarm() noexcept;

  bool refused_ = false;
};

// One call of a function with a connection, on a thread of the pool (directly, on a thread without a loop):
//
//   SlotCall call(slots);
//   const auto job = [&] { const SlotCall::Use use(call); use.connection()…; };
//   co_await call.run(job);
//
// As an Offloader, it takes one job, and has it run by a slot.
class SlotCall final : public Offloader, public SlotWait {
public:
  explicit SlotCall(Slots& slots) noexcept : SlotWait(slots) {}
  ~SlotCall() { disarm(); }

  // The slot of the call. It is given back when this is destroyed, before the coroutine goes on.
  class Use {
  public:
    // Throws std::logic_error on a thread without a loop if all slots are in use.
    explicit Use(SlotCall& call);
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use();
    Connection& connection() const { return slot_->connection(); }
    // Whether the connection is in a transaction of the slot.
    bool in_batch() const noexcept { return slot_->in_batch_; }

  private:
    SlotCall& call_;
    Slot* slot_;
  };

  // Whether the call has ended because it could not get a slot: an await that throws Cancelled means Overloaded.
  bool refused() const noexcept { return refused_; }

  const char* what() const noexcept override { return "database"; }
  bool submit(Priority priority, Job& job) noexcept override;
  bool withdraw(Job& job) noexcept override;

private:
  friend class Slot;
  friend class Slots;
  void on_timer() noexcept override;
  TimerPurpose purpose() const noexcept override { return {.what = "SQLite connection"}; }
  SlotCall* on_slot(Slot& slot) noexcept override;
  bool shares_batches() const noexcept override { return true; }
  void disarm() noexcept;
  // The slot was submitted to a pool that has no room.
  void refuse() noexcept;

  Job* job_ = nullptr;
  Offloader* pool_ = nullptr;
  Timers* timers_ = nullptr;   // of its loop, while it has a timer
  SlotCall** next_ = nullptr;  // where the thread that runs it expects the next call
  bool refused_ = false;
};

// From any thread.
class Slots {
public:
  Slots(const SqliteOptions& options, Connection::Use use, unsigned count);

  // Opens the first connection, before others use it. Throws SqlError.
  void open() { open(slots_.front()); }
  // A connection of a slot.
  void open(Slot& slot);

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
  friend class Slot;
  friend class SlotCall;

  Slot* take() noexcept;
  enum class Entry : std::uint8_t { Taken, Linked, Refused };
  // Gives a free slot to the wait, or links it, unless too many wait.
  Entry enter(SlotWait& wait) noexcept;
  bool unlink(SlotWait& wait, bool refused) noexcept;
  void give_back(Slot& slot) noexcept;
  // The same by the thread that runs the calls of the slot, which goes on with the returned one.
  SlotCall* pass_on(Slot& slot) noexcept;
  SlotCall* take_next(Slot& slot, bool& ends_batch) noexcept;
  bool has_waiting() const noexcept;

  const SqliteOptions& options_;
  Connection::Use use_;
  std::deque<Slot> slots_;
  std::atomic<std::size_t> opened_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<Slot*> free_;
  coro::List<SlotWait> waiting_;
  std::size_t waiting_count_ = 0;
  std::uint64_t refused_ = 0;
  sql::WaitTimes waits_;
};

}  // namespace tern::sqlite
