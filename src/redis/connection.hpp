// One connection to Redis: hiredis on the loop that makes it.
//
// hiredis reads and writes when it is told that it can. What commands it is given within one wake-up leaves in one
// write at the end of it; only when the socket has no room, the loop is asked when there is some.
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

// On the loop's thread; destroyed there, or when the loop does not run.
class Connection final : private Watch::Handler, private Turn {
public:
  // Told from within hiredis: must not destroy the connection.
  class Owner {
  public:
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    virtual void on_connected(Connection& connection) = 0;
    // In the order of the commands; for one that subscribes, whatever comes.
    virtual void on_reply(Connection& connection, const redisReply& reply) = 0;
    // The last.
    virtual void on_lost(Connection& connection, std::string_view why) = 0;

  protected:
    Owner() = default;
    ~Owner() = default;
  };

  explicit Connection(Owner& owner) : owner_(owner), executor_(*Executor::current()) {}
  // Tells the owner nothing.
  ~Connection();

  // Once, one of them; then on_connected() or on_lost() follows. `address` is one of IPv4 or IPv6.
  void open(const std::string& address, std::uint16_t port);
  void open_unix(const std::string& path);

  // Between on_connected() and on_lost(). A command of at most three words that is answered by a status or a number.
  void command(std::initializer_list<std::string_view> words);
  // To these channels; the last that it is given.
  void subscribe(std::string_view one, std::string_view other);

private:
  struct Hooks;  // what hiredis calls
  friend struct Hooks;

  void begin(redisAsyncContext* context);
  void give(std::initializer_list<std::string_view> words);
  void on_ready(bool readable, bool writable) noexcept override;
  void on_turn() noexcept override;
  void write() noexcept;
  void watch() noexcept;
  void lose(std::string why);

  Owner& owner_;
  Executor& executor_;
  ReplyCheck check_;
  redisAsyncContext* context_ = nullptr;  // hiredis deletes it
  base::Box<Watch> watch_;
  std::string refusal_;  // why it could not even begin, told at the next turn
  bool connected_ = false;
  bool reads_ = false;    // hiredis wants to
  bool writes_ = false;   // hiredis wants to
  bool blocked_ = false;  // the socket has no room
  bool writing_ = false;
};

}  // namespace tern::redis
