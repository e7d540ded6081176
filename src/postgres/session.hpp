// A session with a PostgreSQL: libpq makes the connection (addresses, TLS, authentication), and messages are exchanged
// over its socket, or its TLS session, when it is made. See docs/adr/0080-postgres-messages.md.
//
// What is appended to output() in one iteration of the loop leaves in one write at its end; the loop watches for
// writability only if the socket's buffer is full.
#pragma once

#include "postgres/address.hpp"

#include <tern/base/box.hpp>
#include <tern/coro/event.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/task.hpp>
#include <tern/coro/watch.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct pg_conn;
struct pg_cancel;
struct ssl_st;

namespace tern::postgres {

struct FinishConnection {
  void operator()(pg_conn* connection) const noexcept;
};
struct FreeCancel {
  void operator()(pg_cancel* cancel) const noexcept;
};
using CancelHandle = std::unique_ptr<pg_cancel, FreeCancel>;
// Asks the database to end what the session is doing; blocks.
void send_cancel(const CancelHandle& handle) noexcept;

// Belongs to the loop's thread; destroyed there, or when the loop does not run.
class Session final : private Watch::Handler, private Turn {
public:
  // Called from the loop. Must not destroy the session. May throw std::bad_alloc: then the session is lost.
  class Observer {
  public:
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    // The body is valid during the call.
    virtual void on_message(char type, std::string_view body) = 0;
    // The last call.
    virtual void on_lost(std::string_view why) noexcept = 0;
    // Whether messages are expected.
    virtual bool awaits_messages() const noexcept = 0;

  protected:
    Observer() = default;
    ~Observer() = default;
  };

  Session(Observer& observer, Executor& executor, std::size_t max_message);
  ~Session();

  // Connects, once. The fault, or empty. Throws Cancelled.
  Task<std::string> open(const Parameters& parameters, const Endpoint& endpoint, const std::string& attributes);

  bool is_open() const noexcept { return open_; }
  // To append messages to, and then call flush().
  std::string& output() noexcept { return output_; }
  void flush() noexcept;
  // Ends it; the observer is not called. `orderly`: tells the database.
  void close(bool orderly) noexcept;
  // At the next turn of the loop.
  void lose(std::string_view why) noexcept;

  // Set while there is not much output to be written.
  Event& writable() noexcept { return writable_; }
  // Stops and continues receiving.
  void pause() noexcept;
  void resume() noexcept;

  // For a thread of the pool. Null without memory.
  CancelHandle cancel_handle() const noexcept;
  int process() const noexcept;

private:
  void on_ready(bool readable, bool writable) noexcept override;
  bool awaits_peer() const noexcept override { return !open_ || observer_.awaits_messages(); }
  void on_turn() noexcept override;
  void receive();
  bool deliver();
  void write() noexcept;
  void watch() noexcept;
  std::int64_t read_some(char* to, std::size_t size) noexcept;
  std::int64_t write_some(const char* from, std::size_t size) noexcept;
  std::int64_t tls_result(int result) noexcept;
  std::string fault() const;
  void fail(std::string_view why) noexcept;

  Observer& observer_;
  Executor& executor_;
  const std::size_t max_message_;
  std::unique_ptr<pg_conn, FinishConnection> connection_;
  ssl_st* tls_ = nullptr;  // of connection_; null: none
  int socket_ = -1;
  base::Box<Watch> watch_;
  Event ready_;  // while it connects
  Event writable_;
  std::string output_;
  std::size_t written_ = 0;  // of output_
  std::vector<char> input_;
  std::size_t begin_ = 0;  // of the bytes in input_ that are not delivered
  std::size_t end_ = 0;
  std::string error_;
  bool open_ = false;
  bool paused_ = false;
  bool blocked_ = false;           // the socket's buffer is full
  bool receives_at_turn_ = false;  // there is more, which readiness does not show
};

}  // namespace tern::postgres
