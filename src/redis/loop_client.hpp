// The connection of one loop, and the commands on it.
//
// Life of a command: CommandWait::enter() pushes a slot. If the connection is ready, it is sent; the commands of one
// iteration leave in one write. Otherwise the slot waits for the attempt to connect. Replies arrive in the order of the
// slots. A slot whose coroutine does not wait any longer keeps its place until its reply has arrived.
//
// States: Idle (no connection: the next command makes one), Connecting, Ready, and Down: an attempt has failed,
// commands fail at once, and a task tries again with backoff.
#pragma once

#include "base/backoff.hpp"
#include "redis/client.hpp"
#include "redis/connection.hpp"
#include "redis/loop_statistics.hpp"

#include <tern/coro/event.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/task.hpp>
#include <tern/redis/client.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace tern::redis {

// A command that is waiting for its reply.
struct Slot {
  CommandWait* waiter = nullptr;  // null: the coroutine was stopped
  std::size_t bytes = 0;
  std::size_t replies = 1;  // to be received
  std::uint64_t since = 0;
  bool counted = false;   // in the statistics
  RedisReply error = {};  // the first error of several commands
};

class LoopClient final : public Attachment, private Connection::Observer, private Timer {
public:
  LoopClient(Client& client, Executor& executor);
  // On the loop's thread, or while it does not run. The waiting coroutines are not resumed.
  ~LoopClient();

  // Throws std::bad_alloc and RedisError; then the command does not wait.
  void enter(CommandWait& waiter);

  // The coroutine of the running command does not wait any longer: ends the connection, and with it the command.
  void abandon() noexcept;

  // There are no handles of the client any more.
  void end() noexcept;
  void on_executor_end() noexcept override;

  Executor& executor() const noexcept { return executor_; }
  const LoopStatistics& statistics() const noexcept { return statistics_; }

private:
  enum class State : std::uint8_t { Idle, Connecting, Ready, Down };

  void on_connected(Connection& connection) override;
  void on_reply(Connection& connection, const redisReply& reply) override;
  void on_lost(Connection& connection, std::string_view why) noexcept override;
  void on_timer() noexcept override;
  TimerPurpose purpose() const noexcept override { return {.what = "Redis reply"}; }

  void set_state(State state) noexcept;
  void show_queue() noexcept;
  void connect();
  Task<> run();
  Task<std::string> attempt();
  void on_greeting(const redisReply& reply);
  void greeted();
  void send(Slot& slot);
  void send_filler(Slot& slot);
  void receive(const redisReply& reply);
  void count(Slot& slot, LoopStatistics::Number& outcome) noexcept;
  void pop() noexcept;
  void fail_all(RedisFault fault, std::string_view what, std::string_view why) noexcept;
  void expire(Slot& slot, std::uint64_t now) noexcept;

  Client& client_;
  const RedisOptions& options_;
  Executor& executor_;
  LoopStatistics statistics_;
  State state_ = State::Idle;
  std::deque<Slot> slots_;  // all sent if Ready, none otherwise
  std::size_t bytes_ = 0;
  std::uint64_t received_at_ = 0;
  std::string fault_;          // why it is Down
  std::string attempt_fault_;  // of one address
  unsigned greetings_ = 0;     // replies of an attempt to be received
  bool was_connected_ = false;
  base::Backoff backoff_{initial_backoff};
  Event settled_;  // the attempt has ended
  std::unique_ptr<Connection> connection_;
  Task<> task_;  // connects; refers to the members above
};

}  // namespace tern::redis
