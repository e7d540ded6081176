// Receiver: takes the answers of the database to what one slot of a connection has sent.
#pragma once

#include "postgres/prepared.hpp"

#include <tern/sql/error.hpp>

#include <exception>
#include <span>
#include <string_view>

namespace tern::postgres {

class Connection;

// Called from the loop, in the order of the messages.
class Receiver {
public:
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  virtual void on_row(std::span<const sql::Column>, std::span<const sql::Value>) noexcept {}
  // The columns of rows that may follow, of a prepared statement.
  virtual void on_columns(std::span<const sql::Column>) noexcept {}
  // There are more rows; the slot waits for Connection::fetch().
  virtual void on_suspended() noexcept {}
  // "INSERT 0 5"; once for each statement.
  virtual void on_complete(std::string_view) noexcept {}
  virtual void on_copy_in() noexcept {}
  virtual void on_copy_data(std::string_view) {}
  virtual void on_error(const SqlError&) noexcept {}
  // The last call: all has been answered.
  virtual void on_ready() noexcept = 0;
  // In place of on_ready(): the connection is lost.
  virtual void on_lost(const std::exception_ptr& error) noexcept = 0;
  // In place of on_ready(): the loop has ended, and nothing can be resumed.
  virtual void on_detached() noexcept = 0;

protected:
  Receiver() = default;
  ~Receiver() = default;
};

}  // namespace tern::postgres
