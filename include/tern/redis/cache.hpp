// RedisCache: values that are expensive to make, in Redis, and made once for all who want them.
#pragma once

#include <tern/base/box.hpp>
#include <tern/coro/task.hpp>
#include <tern/json/json.hpp>
#include <tern/redis/client.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

struct RedisCacheOptions {
  std::string prefix = "cache";  // of the keys, behind RedisOptions::prefix
  // How long one server may make a value, before another makes it, too; what takes longer is not kept. Zero: each
  // server makes its own.
  Milliseconds max_make = Seconds(30);
  // How often a server looks for a value that another makes.
  Milliseconds poll = Milliseconds(20);
};

namespace redis {

// Makes the text of a value.
class CacheMaker {
public:
  CacheMaker() = default;
  CacheMaker(const CacheMaker&) = delete;
  CacheMaker& operator=(const CacheMaker&) = delete;
  virtual Task<std::string> make() = 0;
  // Whether the text in Redis is one of a value: it may be of another version of the program.
  virtual bool accept(const std::string& text) = 0;

protected:
  ~CacheMaker() = default;
};

template <class R>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<Task<T>> = true;

// A std::string is stored as it is, everything else as JSON.
template <class T, class F>
class TypedMaker final : public CacheMaker {
public:
  explicit TypedMaker(F& make) noexcept : make_(make) {}

  Task<std::string> make() override {
    if constexpr (is_task<std::invoke_result_t<F&>>) {
      value_.emplace(co_await make_());
    } else {
      value_.emplace(make_());
    }
    if constexpr (std::is_same_v<T, std::string>) {
      co_return *value_;
    } else {
      co_return json::to_string(*value_);
    }
  }
  bool accept(const std::string& text) override {
    if constexpr (std::is_same_v<T, std::string>) {
      value_.emplace(text);
    } else {
      auto read = json::read<T>(text);
      if (!read) return false;
      value_.emplace(std::move(*read));
    }
    return true;
  }
  T take() { return std::move(*value_); }

private:
  F& make_;
  std::optional<T> value_;
};

}  // namespace redis

// A value is made once, however many requests of this server want it at the same time, and by one of the servers that
// share the Redis. While Redis is away, a value is made for those who wait for it, and not kept. A server that dies
// while it makes a value delays the others by max_make at most.
//
// From any loop. Must outlive its waits:
//
//   app.emplace_state<tern::RedisCache>(tern::Redis());
//   app.get("/report/{year}", [](tern::State<tern::RedisCache> cache, int year) -> tern::Task<Report> {
//     const auto make = [year] { return tern::offload([year] { return compute(year); }); };
//     co_return co_await cache->cached<Report>("report:" + std::to_string(year), tern::Seconds(60), make);
//   });
class RedisCache {
public:
  explicit RedisCache(Redis redis, RedisCacheOptions options = {});
  RedisCache(const RedisCache&) = delete;
  RedisCache& operator=(const RedisCache&) = delete;
  ~RedisCache();

  // The value of the key, or what make() returns, a T or a Task<T>, which is kept for `lifetime` then. T is a
  // std::string of any bytes, or what JSON can read and write.
  //
  // Throws what make() throws, to the one that has called it: then the next of those who wait calls its own make(). The
  // same happens if that one is cancelled. Does not throw RedisError. Throws Cancelled if the coroutine is stopped.
  template <class T, class F>
    requires std::is_invocable_v<F&>
  Task<T> cached(std::string key, Milliseconds lifetime, F make) const {
    redis::TypedMaker<T, F> maker(make);
    co_await find_or_make(key, lifetime, maker);
    co_return maker.take();
  }

  // Forgets a value. One that is being made now, by any server, is given to those who wait for it, and not kept (unless
  // max_make is zero). False: there was none. Throws RedisError.
  Task<bool> erase(std::string key) const;

  struct Counts {
    std::uint64_t hits = 0;    // values that Redis had
    std::uint64_t made = 0;    // by this server
    std::uint64_t shared = 0;  // requests that got what another of this server has made
    std::uint64_t errors = 0;  // commands without a result
  };
  Counts counts() const noexcept;

private:
  class Core;

  Task<> find_or_make(const std::string& key, Milliseconds lifetime, redis::CacheMaker& maker) const;

  base::Box<Core> core_;
};

}  // namespace tern
