// Notifications: LISTEN and NOTIFY.
#pragma once

#include <tern/base/box.hpp>
#include <tern/coro/task.hpp>

#include <string>
#include <vector>

namespace tern {

namespace postgres {
class Listener;
class PostgresDriver;
}  // namespace postgres

struct Notification {
  std::string channel;
  std::string payload;
  int process = 0;      // of the sender, in the database
  bool missed = false;  // only this: the connection was lost and made again, and notifications in between are lost
};

// Notifications of some channels, on a connection of its own. Belongs to one coroutine. Up to 1,024 are kept for a slow
// reader; further ones stay in the database.
class NotificationStream {
public:
  NotificationStream(postgres::PostgresDriver& driver, std::vector<std::string> channels);

  // Listens from the first call on. While the database is away, it waits and tries again. Throws Cancelled if the
  // coroutine is stopped, and SqlError (Statement) behind a pooler of transactions, which cannot listen.
  Task<Notification> next();
  // Listens before the first notification is awaited: what is sent after it has returned arrives.
  Task<> listen();

private:
  base::Box<postgres::Listener> listener_;
};

}  // namespace tern
