// CopyIn and CopyOut: a COPY on a connection of its own.
#pragma once

#include "postgres/connection.hpp"
#include "postgres/lease.hpp"

#include <tern/coro/event.hpp>
#include <tern/coro/task.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace tern::postgres {

class PostgresDriver;

// What both have: the lease, the slot, and how it has ended.
class Copy : protected Receiver {
protected:
  explicit Copy(PostgresDriver& driver) noexcept : driver_(driver) {}
  ~Copy() = default;

  Task<> start(std::string statement);
  // The derived class's destructor calls it.
  void give_up() noexcept;
  // Throws the error of the database.
  void check() const;

  void on_complete(std::string_view tag) noexcept override;
  void on_error(const SqlError& error) noexcept override;
  void on_ready() noexcept override;
  void on_lost(const std::exception_ptr& error) noexcept override;
  void on_detached() noexcept override;

  PostgresDriver& driver_;
  Lease lease_;
  Slot* slot_ = nullptr;  // until it is answered
  Event changed_;
  std::exception_ptr error_;
  std::int64_t rows_ = 0;
};

class CopyIn final : private Copy {
public:
  explicit CopyIn(PostgresDriver& driver) noexcept : Copy(driver) {}
  ~CopyIn();

  Task<> begin(std::string statement);
  Task<> write(std::string_view bytes);
  Task<std::int64_t> end(std::exception_ptr error);

private:
  void on_copy_in() noexcept override;
  bool open_ = false;  // the database takes content
};

class CopyOut final : private Copy {
public:
  CopyOut(PostgresDriver& driver, std::string statement) : Copy(driver), statement_(std::move(statement)) {}
  ~CopyOut();

  Task<std::optional<std::string>> next();

private:
  static constexpr std::size_t max_queued = 256 * 1024;

  void on_copy_data(std::string_view bytes) override;

  std::string statement_;
  std::deque<std::string> parts_;
  std::size_t bytes_ = 0;
  bool began_ = false;
};

}  // namespace tern::postgres
