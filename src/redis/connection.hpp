// One connection to Redis on the current loop: a socket, perhaps with TLS, and hiredis's parser.
//
// The commands of one iteration are sent together at its end; the loop watches for writability only if the socket's
// buffer is full.
#pragma once

#include "redis/reply_check.hpp"
#include "redis/tls.hpp"

#include <tern/base/box.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/watch.hpp>
#include <tern/redis/options.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct redisReader;
struct redisReply;

namespace tern::redis {

// The first pause of those that connect again.
constexpr Milliseconds initial_backoff{50};

// Belongs to the loop's thread; destroyed there, or when the loop does not run.
class Connection final : private Watch::Handler, private Turn {
public:
  // Called from within the connection: must not destroy it. May throw std::bad_alloc: then the connection is lost.
  class Observer {
  public:
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual void on_connected(Connection& connection) = 0;
    // Replies in the order of the commands; after subscribe(), all messages. An error that answers no command ends the
    // connection.
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

  // Once; on_connected() or on_lost() follows. To the options' Unix socket, or to their port at `address`, an IPv4 or
  // IPv6 address; with `tls` unless that is null. It outlives the connection.
  void open(const RedisOptions& options, const std::string& address, const TlsContext* tls);

  // Before it is opened: replies are of any type, up to this size; see ReplyCheck.
  void allow_any_reply(std::size_t max_bytes) noexcept { check_.expect_any(max_bytes); }

  // Between on_connected() and on_lost(). One command, in RESP.
  void send(std::string_view command);
  // A command with a status or a number as its reply.
  void command(std::initializer_list<std::string_view> words);
  // SUBSCRIBE or PSUBSCRIBE, in RESP. No other commands follow. Messages have up to `max_bytes`; 0: no limit.
  void subscribe(std::string_view command, std::size_t max_bytes);

  // "no answer for 5.0 s", perhaps of the handshake.
  std::string no_answer(Milliseconds time) const;

  // Stops and continues receiving.
  void pause() noexcept;
  void resume() noexcept;

private:
  enum class State : std::uint8_t { Closed, Connecting, Handshaking, Open };
  struct FreeReader {
    void operator()(redisReader* reader) const noexcept;
  };

  bool begin(const RedisOptions& options, const std::string& address);
  void on_ready(bool readable, bool writable) noexcept override;
  bool awaits_peer() const noexcept override { return state_ != State::Open || subscribed_ || unanswered_ != 0; }
  void on_turn() noexcept override;
  void established() noexcept;
  void handshake() noexcept;
  void opened() noexcept;
  Moved receive(std::span<char> buffer) noexcept;
  void read() noexcept;
  void parse(std::string_view bytes) noexcept;
  void deliver(const redisReply& reply) noexcept;
  template <class F>
  bool append(F&& command) noexcept;
  void write() noexcept;
  void watch() noexcept;
  void lose(const char* why) noexcept;
  void fail(std::string_view why) noexcept;
  void fail_moved(const Moved& moved) noexcept;
  void fail_write(const Moved& moved) noexcept;
  void close() noexcept;

  Observer& observer_;
  Executor& executor_;
  ReplyCheck check_;
  State state_ = State::Closed;
  int descriptor_ = -1;
  std::optional<TlsChannel> tls_;
  std::unique_ptr<redisReader, FreeReader> reader_;
  base::Box<Watch> watch_;
  std::string out_;
  std::size_t sent_ = 0;        // of out_
  std::size_t unanswered_ = 0;  // commands
  std::string error_;           // why it is lost; reported at the next turn
  const TlsContext* context_ = nullptr;
  bool subscribed_ = false;
  bool blocked_ = false;           // the socket's buffer is full
  bool handshake_writes_ = false;  // what the handshake waits for
  bool paused_ = false;
};

}  // namespace tern::redis
