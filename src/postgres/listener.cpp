#include "postgres/listener.hpp"

#include "postgres/driver.hpp"
#include "postgres/statement.hpp"

#include <tern/coro/sleep.hpp>
#include <tern/coro/timeout.hpp>
#include <tern/sql/error.hpp>

#include <utility>

namespace tern {
namespace postgres {
namespace {

std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

std::string listen_text(const std::vector<std::string>& channels) {
  std::string text;
  for (const std::string& channel : channels) text += "listen " + quoted_name(channel) + ';';
  return text;
}

}  // namespace

Listener::Listener(PostgresDriver& driver, std::vector<std::string> channels)
    : driver_(driver), statement_(listen_text(channels)) {
  driver_.retain();
}

Listener::~Listener() {
  if (connection_) connection_->close();
  connection_.reset();
  driver_.release();
}

void Listener::on_lost(Connection&, const std::exception_ptr&) noexcept {
  changed_.set();
}

void Listener::on_notification(std::string_view channel, std::string_view payload, int process) {
  queue_.push_back({std::string(channel), std::string(payload), process, false});
  if (queue_.size() >= max_queued) connection_->session().pause();
  changed_.set();
}

// Returns when it listens.
Task<> Listener::listen() {
  const PostgresOptions& options = driver_.options();
  if (options.transaction_pooling) {
    throw SqlError(SqlErrorKind::Statement, "a pooler of transactions cannot listen: connect to the database itself");
  }
  while (!connection_ || !connection_->is_open()) {
    std::unique_ptr<Connection> made;
    bool listens = false;
    Connection::Owner& owner = *this;
    try {
      const std::string fault = co_await connect_any(owner, options, *Executor::current(), made);
      if (fault.empty()) {
        connection_ = std::move(made);
        TextWait wait(*connection_, statement_);
        co_await wait;
        listens = true;
      }
    } catch (const SqlError&) {
      // It is lost again.
    } catch (const Overloaded&) {
      // The pool that resolves names.
    }
    if (listens) {
      backoff_.reset();
      if (std::exchange(listened_, true)) queue_.push_back({{}, {}, 0, true});
      co_return;
    }
    connection_.reset();
    co_await sleep_for(backoff_.next(options.retry));
  }
}

// Until something has changed; meanwhile, the database is asked whether it is there.
Task<> Listener::wait() {
  while (!changed_.is_set()) {
    try {
      co_await with_timeout(driver_.options().check_interval, changed_.wait());
    } catch (const TimedOut&) {
      connection_->check();
    }
  }
}

Task<Notification> Listener::next() {
  while (queue_.empty()) {
    co_await listen();
    if (!queue_.empty()) break;
    changed_.reset();
    if (connection_->is_open()) co_await wait();
  }
  Notification first = std::move(queue_.front());
  queue_.pop_front();
  if (queue_.size() < max_queued / 2 && connection_ && connection_->is_open()) connection_->session().resume();
  co_return first;
}

}  // namespace postgres

NotificationStream::NotificationStream(postgres::PostgresDriver& driver, std::vector<std::string> channels)
    : listener_(base::make_box<postgres::Listener>(driver, std::move(channels))) {}

Task<> NotificationStream::listen() {
  return listener_->listen();
}

Task<Notification> NotificationStream::next() {
  return listener_->next();
}

}  // namespace tern
