// Connection: the statements on one session.
//
// Life of a statement: start() prepares it if its text is new to the connection, and otherwise sends its arguments,
// ended by a Sync. A slot stands for what is answered up to the next ReadyForQuery; answers arrive in the order of the
// slots. As each statement has a Sync of its own, one that fails does not affect those behind it. A slot whose
// coroutine does not wait any longer keeps its place until it is answered; if that takes long, it is cancelled.
#pragma once

#include "postgres/receiver.hpp"
#include "postgres/session.hpp"
#include "postgres/text.hpp"

#include <tern/postgres/options.hpp>
#include <tern/sql/driver.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace tern::postgres {

class Lease;
class StatementWait;
struct Portal;

// What is answered up to one ReadyForQuery.
struct Slot {
  enum class Kind : std::uint8_t { Prepare, Statement, Text, Copy };

  Kind kind = Kind::Text;
  Receiver* receiver = nullptr;  // null: the answer is skipped
  Prepared* prepared = nullptr;  // of a batch: of the statement that is answered next
  std::vector<Prepared*> batch;  // of all its statements; empty: there is one
  std::size_t answered = 0;      // of the batch
  std::uint64_t since = 0;       // milliseconds; sent, or abandoned
  bool is_setting = false;       // of the session, for which no other statement has to wait
  bool abandoned = false;        // its coroutine was stopped
  bool cancelled = false;        // a cancel request was made because of it
  bool stale = false;            // the database does not have its prepared statement any longer, or as another one
  bool struck = false;           // a cancel request for another one has ended it
  bool described = false;        // what is answered now has been described, or has begun: no description may follow
  std::exception_ptr error;      // of Prepare
};

class Connection final : private Session::Observer, private Timer {
public:
  // Called from the loop.
  class Owner {
  public:
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    // A slot has ended.
    virtual void on_progress(Connection& connection) noexcept = 0;
    // Must not destroy the connection. `error` is what its slots have got.
    virtual void on_lost(Connection& connection, const std::exception_ptr& error) noexcept = 0;
    // Its first slot shall be cancelled; cancelled() follows.
    virtual void cancel(Connection& connection) noexcept = 0;
    virtual void on_notification(std::string_view channel, std::string_view payload, int process) = 0;
    virtual bool awaits_notifications() const noexcept { return false; }

  protected:
    Owner() = default;
    ~Owner() = default;
  };

  Connection(Owner& owner, const PostgresOptions& options, Executor& executor);
  // Waiting coroutines are not resumed.
  ~Connection();

  // Once. The fault, or empty. Throws Cancelled.
  Task<std::string> open(const Parameters& parameters, const Endpoint& endpoint, const std::string& attributes);
  // Orderly, when it is not used.
  void close() noexcept;
  // Fails all slots, and ends it at the next turn of the loop.
  void lose(std::string_view why) noexcept { session_.lose(why); }

  // Sends the statement of `wait`, or prepares it. Throws SqlError and std::bad_alloc; then the wait is not registered.
  void start(StatementWait& wait);
  // Sends statements without arguments. `receiver` may be null.
  Slot& send_text(std::string_view text, Receiver* receiver, Slot::Kind kind = Slot::Kind::Text);
  // Sends a Sync: whether the database answers.
  void check();
  // The receiver does not take the answers any longer.
  void abandon(Slot& slot) noexcept;
  // A portal is not used any longer.
  void close_portal(std::string_view name, Prepared& prepared) noexcept;
  // The content of a COPY FROM, after on_copy_in(). With a fault, it is undone.
  void send_copy_data(std::string_view bytes);
  void end_copy(std::string_view fault);

  bool is_open() const noexcept { return session_.is_open(); }
  // Without settings of the session.
  std::size_t outstanding() const noexcept { return slots_.size() + waiting_ - settings_; }
  // 'I': idle; 'T': in a transaction; 'E': in one that has failed.
  char status() const noexcept { return status_; }
  // Whether an answer is overdue, so that others should not wait behind it.
  bool is_slow(std::uint64_t now) const noexcept;
  // A cancel request may still reach it.
  bool is_suspect() const noexcept { return cancelling_ || suspect_answers_ != 0; }
  // The cancel request has ended.
  void cancelled() noexcept;

  Session& session() noexcept { return session_; }
  Executor& executor() const noexcept { return executor_; }
  const PostgresOptions& options() const noexcept { return options_; }
  // Of the statements from now on; zero: none.
  void limit(Milliseconds statement_timeout) noexcept { statement_timeout_ = statement_timeout; }
  // Whether the session may have state that others must not see.
  void taint() noexcept { tainted_ = true; }
  bool is_tainted() const noexcept { return tainted_; }
  // Forgets what the session has, and sets it up again. When it is not used.
  void clean();

  // The owner's.
  struct Use {
    std::uint64_t number = 0;  // of this connection
    Lease* lease = nullptr;    // who has it alone
    bool leased = false;       // also until what a lease has left is undone
    bool reserved = false;     // no further statements, so that it can be leased
    bool counted = false;      // among those in use
    std::uint64_t used_at = 0;
    std::uint64_t expires_at = 0;
  } use;
  // A statement that waits for its preparation does not wait any longer.
  void forget_waiting(StatementWait& wait) noexcept {
    --waiting_;
    unpin(wait);
  }

private:
  void on_message(char type, std::string_view body) override;
  void on_lost(std::string_view why) noexcept override;
  bool awaits_messages() const noexcept override { return !slots_.empty() || owner_.awaits_notifications(); }
  void on_timer() noexcept override;
  TimerPurpose purpose() const noexcept override { return {.what = "PostgreSQL statement"}; }

  void set_up();
  void send_setting(const std::string& text);
  Prepared& prepared_of(const sql::Call& call);
  void prepare(Prepared& prepared);
  void start_batch(StatementWait& wait);
  void send(Prepared& prepared, StatementWait& wait);
  void send_batch(StatementWait& wait);
  void add_execute(const Prepared& prepared, const sql::Call& call, const Portal* portal);
  void bind(const Prepared& prepared, const sql::Call& call, std::string_view portal);
  void unpin(StatementWait& wait) noexcept;
  void release(Prepared& prepared) noexcept;
  void close_surplus();
  void send_ahead() noexcept;
  Slot& push(Slot::Kind kind, Receiver* receiver, Prepared* prepared);
  void on_complete(Slot& slot, std::string_view tag);
  void on_row(Slot& slot, std::string_view body);
  void on_error(Slot& slot, std::string_view body);
  void on_description(Slot& slot, char type, std::string_view body);
  void on_ready(std::string_view body);
  void on_prepared(Prepared& prepared, const std::exception_ptr& error) noexcept;
  bool repeat(StatementWait& wait, const Slot& slot) noexcept;
  void schedule_timer() noexcept;
  std::uint64_t now() const noexcept { return executor_.timers().now(); }
  std::uint64_t deadline_of(const Slot& slot) const noexcept;

  Owner& owner_;
  const PostgresOptions& options_;
  Executor& executor_;
  PreparedStatements statements_;
  std::deque<Slot> slots_;
  std::size_t settings_ = 0;  // of the slots
  std::size_t unsent_ = 0;    // of the slots
  std::size_t waiting_ = 0;   // statements that wait for their preparation
  std::vector<sql::Value> values_;
  std::vector<Items> items_;  // of arrays, by column
  std::uint64_t received_at_ = 0;
  std::exception_ptr fatal_;  // what the database said before it closed the connection
  unsigned suspect_answers_ = 0;
  Milliseconds statement_timeout_;
  char status_ = 'I';
  bool cancelling_ = false;
  bool tainted_ = false;
  Session session_;
};

}  // namespace tern::postgres
