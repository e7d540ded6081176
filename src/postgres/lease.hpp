// Lease: the use of a connection by one coroutine alone, as for a transaction.
#pragma once

#include <tern/coro/list.hpp>
#include <tern/coro/waiter.hpp>

#include <cstdint>
#include <exception>

namespace tern::postgres {

class Connection;
class LoopPool;

// Belongs to the loop of its connection. When it ends, what is left of a transaction is rolled back.
class Lease {
public:
  Lease() noexcept = default;
  Lease(LoopPool& pool, Connection& connection) noexcept;
  Lease(Lease&& other) noexcept { take(other); }
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~Lease() { release(); }

  // False if there is none, or the loop has ended.
  explicit operator bool() const noexcept { return connection_ != nullptr; }
  // Throws SqlError (Unavailable) if it is lost.
  Connection& connection() const;
  // Null if there is none.
  Connection* get() const noexcept { return connection_; }
  void release() noexcept;

private:
  friend class LoopPool;
  void take(Lease& other) noexcept;
  void forget() noexcept { connection_ = nullptr; }

  LoopPool* pool_ = nullptr;
  Connection* connection_ = nullptr;
};

class LeaseWait final : public coro::Waiter, public coro::Hook<LeaseWait> {
public:
  explicit LeaseWait(LoopPool& pool) noexcept : pool_(pool) {}
  ~LeaseWait();

  // Throws Overloaded, SqlError (Unavailable) or Cancelled.
  Lease await_resume();

private:
  friend class LoopPool;
  const char* what() const noexcept override { return "database connection"; }
  bool ready() noexcept override { return false; }
  bool enter() noexcept override;
  bool leave() noexcept override;
  void give(Lease lease) noexcept;
  void fail(std::exception_ptr error) noexcept;

  LoopPool& pool_;
  Lease lease_;
  std::uint64_t since_ = 0;  // milliseconds; in the queue of the pool
  std::exception_ptr error_;
};

}  // namespace tern::postgres
