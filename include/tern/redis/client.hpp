// Redis: a client for commands, for handlers and other coroutines.
#pragma once

#include <tern/base/number.hpp>
#include <tern/coro/task.hpp>
#include <tern/coro/waiter.hpp>
#include <tern/redis/error.hpp>
#include <tern/redis/options.hpp>
#include <tern/redis/reply.hpp>
#include <tern/redis/statistics.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern {

namespace http {
class FigureSink;
}

namespace redis {

class Client;
class LoopClient;
class Subscriber;
struct Slot;

template <class T>
concept TextWord = std::convertible_to<const T&, std::string_view>;
template <class T>
concept NumberWord = base::Integer<T> || std::floating_point<T>;
template <class T>
concept WordRange = !TextWord<T> && requires(const T& words) {
  { *words.begin() } -> std::convertible_to<std::string_view>;
  words.end();
  words.size();
};

// RedisKeys: several words that are encoded already.
template <class T>
concept EncodedWords = requires(const T& words) {
  { words.encoded() } -> std::same_as<const std::string&>;
};

template <class T>
concept Word = EncodedWords<T> || TextWord<T> || NumberWord<T> || WordRange<T>;

template <class T>
std::size_t count_words(const T& word) {
  if constexpr (EncodedWords<T> || WordRange<T>) {
    return word.size();
  } else {
    return 1;
  }
}

void append_word(std::string& text, std::string_view word);

template <class T>
void append_words(std::string& text, const T& word) {
  if constexpr (EncodedWords<T>) {
    text += word.encoded();
  } else if constexpr (WordRange<T>) {
    for (const auto& each : word) append_word(text, each);
  } else if constexpr (TextWord<T>) {
    append_word(text, word);
  } else if constexpr (std::floating_point<T>) {
    std::string digits;
    base::append_number(digits, word);
    append_word(text, digits);
  } else if constexpr (NumberWord<T>) {
    std::string digits;
    base::append_integer(digits, word);
    append_word(text, digits);
  }
}

// One command in RESP, or several that are sent as one, of which only the last reply is awaited.
struct Request {
  explicit Request(std::string commands, std::vector<std::size_t> each = {}) noexcept
      : text(std::move(commands)), ends(std::move(each)) {}
  std::string text;
  std::vector<std::size_t> ends;  // of all commands but the last, in `text`
};

// Throws std::invalid_argument for a command that changes the connection, or that waits, if it `may_wait` not.
void check_command(std::string_view encoded, bool may_wait = false);
std::string head_of_command(std::size_t words);

template <class... Words>
std::string encode(const Words&... words) {
  static_assert((true && ... && Word<Words>),
                "tern: a word of a Redis command is a string, an integer, a floating-point number, or a range of "
                "strings");
  std::string text = head_of_command((std::size_t{0} + ... + count_words(words)));
  (append_words(text, words), ...);
  return text;
}

// The wait for a reply. Part of the waiting coroutine's frame.
class CommandWait : public coro::Waiter {
public:
  CommandWait(Client& client, Request request) noexcept : client_(client), request_(std::move(request)) {}
  ~CommandWait();

protected:
  // The reply, which is no error. Throws RedisError or Cancelled.
  RedisReply take();
  // Adds the name of the command to an error of the conversion.
  [[noreturn]] void rethrow(const RedisError& error) const;

private:
  friend class LoopClient;

  const char* what() const noexcept override { return "redis"; }
  bool ready() noexcept override { return false; }
  bool enter() noexcept override;
  bool leave() noexcept override;
  RedisReply take_reply();
  void record_step(std::string_view code, std::string_view fault) const noexcept;
  void give_up() noexcept;
  void complete(RedisReply reply) noexcept;
  void fail(std::exception_ptr error) noexcept;

  Client& client_;
  Request request_;
  Slot* slot_ = nullptr;  // while it waits
  RedisReply reply_;
  std::exception_ptr error_;
  std::uint64_t entered_at_ = 0;  // nanoseconds, if a request has a trace
};

template <class T>
class TypedWait final : public CommandWait {
public:
  using CommandWait::CommandWait;

  T await_resume() {
    RedisReply reply = take();
    if constexpr (!std::is_void_v<T>) {
      try {
        return convert<T>(std::move(reply));
      } catch (const RedisError& error) {
        rethrow(error);
      }
    }
  }
};

}  // namespace redis

// A command that is sent when it is awaited, once.
template <class T>
class [[nodiscard]] RedisCommand {
public:
  RedisCommand(redis::Client& client, redis::Request request) noexcept
      : client_(&client), request_(std::move(request)) {}

  redis::TypedWait<T> operator co_await() && { return redis::TypedWait<T>(*client_, std::move(request_)); }

private:
  redis::Client* client_;
  redis::Request request_;
};

// A Lua script. Redis keeps it under its SHA-1 digest, so that its text is sent once only.
class RedisScript {
public:
  explicit RedisScript(std::string text);

  const std::string& text() const noexcept { return text_; }
  const std::string& digest() const noexcept { return digest_; }

private:
  std::string text_;
  std::string digest_;  // hexadecimal
};

// The KEYS of a script: strings, numbers and ranges of strings.
class RedisKeys {
public:
  template <class... Words>
  explicit RedisKeys(const Words&... keys) : count_((std::size_t{0} + ... + redis::count_words(keys))) {
    redis::append_words(text_, count_);
    (redis::append_words(text_, keys), ...);
  }

  // The words: the number of keys, and the keys.
  std::size_t size() const noexcept { return count_ + 1; }
  const std::string& encoded() const noexcept { return text_; }

private:
  std::size_t count_;
  std::string text_;
};

// MULTI and EXEC: see Redis::transaction().
//
//   tern::RedisTransaction transfer = redis.transaction();
//   transfer.add("DECRBY", from, amount).add("INCRBY", to, amount);
//   const auto balances = co_await std::move(transfer).run<std::vector<std::int64_t>>();
class RedisTransaction {
public:
  explicit RedisTransaction(redis::Client& client);

  // As Redis::command().
  template <class... Words>
  RedisTransaction& add(const Words&... words) {
    append(redis::encode(words...));
    return *this;
  }

  // Sends the commands as one write; the replies as a list, of which T is the type. One that Redis refuses to queue
  // makes all of them fail; one that fails when it is executed does not undo the others, and is a RedisError of the
  // conversion, or a RedisReply of the kind Error.
  template <class T = std::vector<RedisReply>>
  RedisCommand<T> run() && {
    append_end();
    return RedisCommand<T>(*client_, std::move(request_));
  }

private:
  void append(const std::string& command);
  void append_end();

  redis::Client* client_;
  redis::Request request_;
};

// A handle: copies share the connections, one for each loop that uses it, made by its first command. The commands of a
// loop are pipelined: those of one iteration leave in one write.
//
//   app.state(tern::Redis({.host = "redis.example"}));
//   app.get("/visits", [](tern::State<tern::Redis> redis) -> tern::Task<std::int64_t> {
//     co_return co_await redis->command<std::int64_t>("INCR", "visits");
//   });
//
// All awaits throw RedisError, and Cancelled when the coroutine is stopped; a command that was sent is executed
// nevertheless. No command is sent twice. Commands wait for the first attempt to connect, and for the first after a
// lost connection. If that fails, commands fail at once, until one of the attempts in the background succeeds.
//
// From any loop. The connections end with the loops, or with the last copy; no command may be awaited then.
class Redis {
public:
  // Throws std::invalid_argument for invalid options. Does not connect.
  explicit Redis(RedisOptions options = {});
  Redis(const Redis& other) noexcept;
  Redis& operator=(const Redis& other) noexcept;
  ~Redis();

  // co_await redis.command<T>("SET", key, value, "EX", 60): the reply as a T, by default as a RedisReply. Words are
  // strings (any bytes), numbers, and ranges of strings, each of which is a word. T is
  //   void               any reply but an error
  //   std::string        a string or a status
  //   an integer type    an integer, or a string that is one and fits
  //   double             a string that is a number, or an integer
  //   bool               1 or 0, or the status OK
  //   std::optional<U>   nil, or a U
  //   std::vector<U>     a list; also sets
  //   std::map<K, V>     a list of alternating keys and values (HGETALL); also std::vector<std::pair<K, V>>
  // Everything else is a RedisError with RedisFault::Type. The words are copied by this call.
  //
  // Throws std::invalid_argument for commands that change or occupy the connection, which other requests share:
  // subscriptions, blocking commands, MULTI (see transaction()), WATCH, AUTH, SELECT, HELLO, MONITOR, QUIT.
  template <class T = RedisReply, class... Words>
  RedisCommand<T> command(const Words&... words) const {
    std::string text = redis::encode(words...);
    redis::check_command(text);
    return RedisCommand<T>(*client_, redis::Request(std::move(text)));
  }

  // co_await redis.eval<T>(script, tern::RedisKeys("stock", "sold"), amount): runs a script by its digest, and sends
  // its text if Redis does not have it. The words behind the keys are its ARGV; all are copied by this call.
  template <class T = RedisReply, class... Words>
  Task<T> eval(const RedisScript& script, const RedisKeys& keys, const Words&... arguments) const {
    return run<T>(*client_, redis::encode("EVALSHA", script.digest(), keys, arguments...),
                  redis::encode("EVAL", script.text(), keys, arguments...));
  }

  // Commands that are executed together, with no others between them.
  RedisTransaction transaction() const { return RedisTransaction(*client_); }

  const RedisOptions& options() const noexcept;
  // From any thread.
  RedisStatistics statistics() const;
  // For AdminAddress::pool().
  void report(http::FigureSink& sink, std::string_view name) const;

private:
  friend class RedisBlocking;
  friend class redis::Subscriber;
  Redis(RedisOptions options, Milliseconds max_wait);

  template <class T>
  static Task<T> run(redis::Client& client, std::string by_digest, std::string by_text) {
    RedisCommand<T> first(client, redis::Request(std::move(by_digest)));
    try {
      co_return co_await std::move(first);
    } catch (const RedisError& error) {
      if (error.code() != "NOSCRIPT") throw;
    }
    RedisCommand<T> second(client, redis::Request(std::move(by_text)));
    co_return co_await std::move(second);
  }

  redis::Client* client_;  // counts its references
};

}  // namespace tern
