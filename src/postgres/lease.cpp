#include "postgres/lease.hpp"

#include "postgres/connection.hpp"
#include "postgres/pool.hpp"

#include <tern/sql/error.hpp>

#include <utility>

namespace tern::postgres {

Lease::Lease(LoopPool& pool, Connection& connection) noexcept : pool_(&pool), connection_(&connection) {
  connection.use.lease = this;
}

void Lease::take(Lease& other) noexcept {
  pool_ = other.pool_;
  connection_ = std::exchange(other.connection_, nullptr);
  if (connection_ != nullptr) connection_->use.lease = this;
}

Connection& Lease::connection() const {
  if (connection_ != nullptr && connection_->is_open()) return *connection_;
  throw SqlError(SqlErrorKind::Unavailable, "the connection to PostgreSQL is lost");
}

void Lease::release() noexcept {
  if (Connection* const connection = std::exchange(connection_, nullptr)) pool_->give_back(*connection);
}

LeaseWait::~LeaseWait() {
  if (waits()) leave();
}

bool LeaseWait::enter() noexcept {
  try {
    return pool_.enter(*this);
  } catch (...) {
    error_ = std::current_exception();
    return false;
  }
}

bool LeaseWait::leave() noexcept {
  if (!Hook<LeaseWait>::linked()) return !lease_;
  Hook<LeaseWait>::unlink();
  pool_.forget_waiting();
  return true;
}

void LeaseWait::give(Lease lease) noexcept {
  lease_ = std::move(lease);
  if (waits()) wake();
}

void LeaseWait::fail(std::exception_ptr error) noexcept {
  error_ = std::move(error);
  wake();
}

Lease LeaseWait::await_resume() {
  check();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return std::move(lease_);
}

}  // namespace tern::postgres
