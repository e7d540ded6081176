// Life of a miss: GET finds nothing. One coroutine of this server leads the flight of the key. It asks a script for the
// value or the right to make it, makes it, writes it, and ends the flight. Those who waited get the text from recent_,
// so that they need neither Redis nor a value that lives long enough.
#include <tern/redis/cache.hpp>

#include <tern/base/lru_map.hpp>
#include <tern/coro/awaitable.hpp>
#include <tern/coro/single_flight.hpp>
#include <tern/coro/sleep.hpp>

#include "base/random.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

namespace tern {
namespace {

constexpr std::size_t max_recent_bytes = 8 * 1024 * 1024;

// The value unless ARGV[3] names it, 1 if the caller may make it (with ARGV[1] as its token), or 0 if another does.
const RedisScript& claim_script() {
  static const RedisScript script(
      "local value = redis.call('GET', KEYS[1])\n"
      "if value and '=' .. value ~= ARGV[3] then return value end\n"
      "if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end\n"
      "return 0\n");
  return script;
}

// Only with the right to make it: erase() takes that away, so that no value of before is kept.
const RedisScript& store_script() {
  static const RedisScript script(
      "if redis.call('GET', KEYS[2]) ~= ARGV[1] then return end\n"
      "redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])\n"
      "redis.call('DEL', KEYS[2])\n");
  return script;
}

const RedisScript& release_script() {
  static const RedisScript script("if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end\n");
  return script;
}

std::string new_token() {
  return std::to_string(base::random_number()) + '-' + std::to_string(base::random_number());
}

Milliseconds::rep at_least_one(Milliseconds time) {
  return std::max<Milliseconds::rep>(time.count(), 1);
}

}  // namespace

class RedisCache::Core {
public:
  Core(Redis redis, RedisCacheOptions options)
      : redis_(std::move(redis)), options_(std::move(options)), recent_(max_recent_bytes) {}

  Task<> find_or_make(const std::string& key, Milliseconds lifetime, redis::CacheMaker& maker) {
    const Names names(*this, key);
    const std::uint64_t began = serial_.fetch_add(1);
    if (co_await read(names, maker)) co_return;
    while (true) {
      Flight flight = co_await flights_.enter(names.value);
      if (take_recent(names.value, began, maker)) co_return;
      if (!flight.leads()) continue;
      co_await lead(names, lifetime, maker);
      flight.finish();
      co_return;
    }
  }

  Task<bool> erase(const std::string& key) {
    const Names names(*this, key);
    {
      const std::lock_guard lock(mutex_);
      recent_.erase(names.value);
    }
    auto command = redis_.command<int>("DEL", names.value, names.lock);
    co_return co_await std::move(command) != 0;
  }

  Counts counts() const noexcept { return {hits_, made_, shared_, errors_}; }

private:
  struct Names {
    Names(const Core& core, const std::string& key)
        : value(core.redis_.options().prefix + ':' + core.options_.prefix + ':' + key), lock(value + ":lock") {}
    std::string value;
    std::string lock;
  };
  struct Recent {
    std::string text;
    std::uint64_t made = 0;  // by serial_
  };

  Task<bool> read(const Names& names, redis::CacheMaker& maker) {
    try {
      auto command = redis_.command<std::optional<std::string>>("GET", names.value);
      const auto text = co_await std::move(command);
      if (!text || !maker.accept(*text)) co_return false;
      ++hits_;
      co_return true;
    } catch (const RedisError&) {
      ++errors_;
    }
    co_return false;
  }

  // What was made after this call began.
  bool take_recent(const std::string& name, std::uint64_t began, redis::CacheMaker& maker) {
    std::string text;
    {
      const std::lock_guard lock(mutex_);
      const Recent* const found = recent_.find(name);
      if (found == nullptr || found->made < began) return false;
      text = found->text;
    }
    if (!maker.accept(text)) return false;
    ++shared_;
    return true;
  }

  Task<> lead(const Names& names, Milliseconds lifetime, redis::CacheMaker& maker) {
    const std::string token = new_token();
    if (co_await claim(names, token, maker)) co_return;
    std::string text;
    std::exception_ptr error;
    try {
      text = co_await maker.make();
    } catch (...) {
      error = std::current_exception();
    }
    if (error) {
      co_await uncancelled(release(names, token));
      std::rethrow_exception(std::move(error));
    }
    ++made_;
    remember(names.value, text);
    co_await uncancelled(store(names, token, text, lifetime));
  }

  Task<> store(const Names& names, const std::string& token, const std::string& text, Milliseconds lifetime) {
    try {
      if (options_.max_make.count() == 0) {
        auto command = redis_.command<void>("SET", names.value, text, "PX", at_least_one(lifetime));
        co_await std::move(command);
      } else {
        auto script = redis_.eval<RedisReply>(store_script(), RedisKeys(names.value, names.lock), token, text,
                                              at_least_one(lifetime));
        co_await std::move(script);
      }
    } catch (const RedisError&) {
      ++errors_;
    }
  }

  // The next one need not wait until the lock expires.
  Task<> release(const Names& names, const std::string& token) {
    try {
      auto script = redis_.eval<RedisReply>(release_script(), RedisKeys(names.lock), token);
      co_await std::move(script);
    } catch (const RedisError&) {
      ++errors_;
    }
  }

  // True: there is a value now. False: the caller makes one, because it has the lock, or because Redis is away. The
  // lock of another server is waited for: it ends with the value, or expires.
  Task<bool> claim(const Names& names, const std::string& token, redis::CacheMaker& maker) {
    if (options_.max_make.count() == 0) co_return co_await read(names, maker);
    std::string unusable;  // a value of another version of the program, to be replaced
    while (true) {
      try {
        auto script = redis_.eval<RedisReply>(claim_script(), RedisKeys(names.value, names.lock), token,
                                              at_least_one(options_.max_make), unusable);
        const RedisReply reply = co_await std::move(script);
        if (reply.kind == RedisReply::Kind::String) {
          if (maker.accept(reply.text)) {
            ++hits_;
            co_return true;
          }
          unusable = '=' + reply.text;
          continue;
        }
        if (reply.integer == 1) co_return false;
      } catch (const RedisError&) {
        ++errors_;
        co_return false;
      }
      co_await sleep_for(options_.poll);
    }
  }

  void remember(const std::string& name, const std::string& text) {
    const std::lock_guard lock(mutex_);
    recent_.put(name, Recent{text, serial_.fetch_add(1)}, text.size());
  }

  Redis redis_;
  const RedisCacheOptions options_;
  SingleFlight flights_;
  std::atomic<std::uint64_t> serial_ = 1;  // orders calls and values
  std::atomic<std::uint64_t> hits_ = 0;
  std::atomic<std::uint64_t> made_ = 0;
  std::atomic<std::uint64_t> shared_ = 0;
  std::atomic<std::uint64_t> errors_ = 0;
  std::mutex mutex_;  // guards recent_
  base::LruMap<Recent> recent_;
};

RedisCache::RedisCache(Redis redis, RedisCacheOptions options)
    : core_(base::make_box<Core>(std::move(redis), std::move(options))) {}

RedisCache::~RedisCache() = default;

Task<> RedisCache::find_or_make(const std::string& key, Milliseconds lifetime, redis::CacheMaker& maker) const {
  return core_->find_or_make(key, lifetime, maker);
}

Task<bool> RedisCache::erase(std::string key) const {
  co_return co_await core_->erase(key);
}

RedisCache::Counts RedisCache::counts() const noexcept {
  return core_->counts();
}

}  // namespace tern
