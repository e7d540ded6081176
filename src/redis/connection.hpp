// One connection to Redis: hiredis on the current loop.
//
// hiredis reads and writes when the loop reports readiness. The commands of one iteration are sent together at its end;
// the loop watches for writability only if the socket's buffer is full.
#pragma once

#include "redis/reply_check.hpp"

#include <tern/base/box.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/watch.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

struct redisAsyncContext;
struct redisReply;

namespace tern::redis {

// The first pause of those that connect again.
constexpr Milliseconds initial_backoff{50};

// Belongs to the loop's thread; destroyed there, or when the loop does not run.
class Connection final : private Watch::Handler, private Turn {
public:
  // Called from within hiredis: must not destroy the connection. May throw std::bad_alloc: then the connection is lost.
  class Observer {
  public:
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual void on_connected(Connection& connection) = 0;
    // Replies in the order of the commands; after subscribe(), all messages.
    virtual void on_reply(Connection& connection, const redisReply& reply) = 0;
    // The last call.
    virtual void on_lost(Connection& connection, std::string_view why) noexcept = 0;

  protected:
    Observer() = default;
    ~Observer() = default;
  };

  explicit Connection(Observer& observer) : observer_(observer), executor_(*Executor::current()) {}
  // Does not notify the observer.
  ~Connection();

  // Call one of them, once; on_connected() or on_lost() follows. `address` is an IPv4 or IPv6 address.
  void open(const std::string& address, std::uint16_t port);
  void open_unix(const std::string& path);

  // Before it is opened: replies are of any type, up to this size; see ReplyCheck.
  void allow_any_reply(std::size_t max_bytes) noexcept { check_.expect_any(max_bytes); }

  // Between on_connected() and on_lost(). One command, in RESP.
  void send(std::string_view command);
  // A command of at most three words, with a status or a number as its reply.
  void command(std::initializer_list<std::string_view> words);
  // SUBSCRIBE or PSUBSCRIBE, in RESP. No other commands follow. Messages have up to `max_bytes`; 0: no limit.
  void subscribe(std::string_view command, std::size_t max_bytes);

  // Stops and continues receiving.
  void pause() noexcept;
  void resume() noexcept;

private:
  struct Hooks;  // hiredis's callbacks
  friend struct Hooks;

  void begin(redisAsyncContext* context);
  void append_command(std::initializer_list<std::string_view> words);
  void on_ready(bool readable, bool writable) noexcept override;
  void on_turn() noexcept override;
  void write() noexcept;
  void watch() noexcept;
  void lose(const char* why) noexcept;
  void fail(std::string_view why) noexcept;

  Observer& observer_;
  Executor& executor_;
  ReplyCheck check_;
  redisAsyncContext* context_ = nullptr;  // owned by hiredis
  base::Box<Watch> watch_;
  std::string error_;  // why connecting failed at once, or there was no memory; reported at the next turn
  bool connected_ = false;
  bool wants_read_ = false;   // requested by hiredis
  bool wants_write_ = false;  // requested by hiredis
  bool blocked_ = false;      // the socket's buffer is full
  bool writing_ = false;
  bool paused_ = false;
};

}  // namespace tern::redis
