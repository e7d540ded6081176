// Listener: a connection that listens, and the notifications that were not read yet.
#pragma once

#include "base/backoff.hpp"
#include "postgres/connecting.hpp"
#include "postgres/connection.hpp"

#include <tern/coro/event.hpp>
#include <tern/postgres/notification.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace tern::postgres {

class Listener final : private Connection::Owner {
public:
  Listener(PostgresDriver& driver, std::vector<std::string> channels);
  ~Listener();

  Task<> listen();
  Task<Notification> next();

private:
  static constexpr std::size_t max_queued = 1024;

  void on_progress(Connection&) noexcept override {}
  void on_lost(Connection& connection, const std::exception_ptr& error) noexcept override;
  void cancel(Connection& connection) noexcept override { connection.cancelled(); }
  void on_notification(std::string_view channel, std::string_view payload, int process) override;
  bool awaits_notifications() const noexcept override { return true; }

  Task<> wait();

  PostgresDriver& driver_;
  const std::string statement_;
  base::Backoff backoff_{initial_backoff};
  std::deque<Notification> queue_;
  Event changed_;  // there is a notification, or the connection is lost
  bool listened_ = false;
  std::unique_ptr<Connection> connection_;
};

}  // namespace tern::postgres
