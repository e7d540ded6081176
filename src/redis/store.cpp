#include <tern/redis/store.hpp>

#include "base/random.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tern {
namespace {

// An entry is its version, in 16 hexadecimal digits, and its value. Versions are random, so that none is used twice for
// a key, also after Redis has lost its data.
constexpr std::size_t version_digits = 16;
constexpr std::string_view no_version = "0000000000000000";

// The version of KEYS[1], or zeros.
constexpr std::string_view read_version =
    "local there = redis.call('GETRANGE', KEYS[1], 0, 15)\n"
    "if there == '' then there = '0000000000000000' end\n";

const RedisScript& write_script() {
  static const RedisScript script(std::string(read_version) +
                                  "if there ~= ARGV[1] then return 0 end\n"
                                  "redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])\n"
                                  "return 1\n");
  return script;
}

const RedisScript& erase_script() {
  static const RedisScript script(std::string(read_version) +
                                  "if there ~= ARGV[1] then return 0 end\n"
                                  "return redis.call('DEL', KEYS[1])\n");
  return script;
}

std::string text_of(std::uint64_t version) {
  std::string text(no_version);
  for (std::size_t i = version_digits; version != 0; version >>= 4U) text[--i] = "0123456789abcdef"[version & 15U];
  return text;
}

std::uint64_t new_version() {
  std::uint64_t version = 0;
  while (version == Store::absent) version = base::random_number();
  return version;
}

StoreEntry entry_of(std::string_view text) {
  StoreEntry entry;
  const char* const end = text.data() + std::min(text.size(), version_digits);
  const auto parsed = std::from_chars(text.data(), end, entry.version, 16);
  if (text.size() < version_digits || parsed.ptr != end || entry.version == 0) {
    throw StoreError("a key of the store in Redis holds something else than an entry");
  }
  entry.value = text.substr(version_digits);
  return entry;
}

Milliseconds::rep in_milliseconds(Milliseconds lifetime) {
  return std::max<Milliseconds::rep>(lifetime.count(), 1);
}

}  // namespace

RedisStore::RedisStore(Redis redis) : redis_(std::move(redis)) {}

std::string RedisStore::name_of(std::string_view key) const {
  std::string name = redis_.options().prefix;
  name += ":store:";
  name += key;
  return name;
}

Task<std::optional<StoreEntry>> RedisStore::read(std::string_view key) {
  try {
    auto command = redis_.command<std::optional<std::string>>("GET", name_of(key));
    auto text = co_await std::move(command);
    if (!text) co_return std::nullopt;
    co_return entry_of(*text);
  } catch (const RedisError& error) {
    throw StoreError(error.what());
  }
}

Task<std::optional<std::uint64_t>> RedisStore::write(std::string_view key, std::string_view value,
                                                     Milliseconds lifetime, std::optional<std::uint64_t> expected) {
  const std::uint64_t version = new_version();
  const std::string name = name_of(key);
  const std::string text = text_of(version) + std::string(value);
  bool written = true;
  try {
    if (expected) {
      auto script =
          redis_.eval<bool>(write_script(), RedisKeys(name), text_of(*expected), text, in_milliseconds(lifetime));
      written = co_await std::move(script);
    } else {
      auto command = redis_.command<void>("SET", name, text, "PX", in_milliseconds(lifetime));
      co_await std::move(command);
    }
  } catch (const RedisError& error) {
    throw StoreError(error.what());
  }
  if (!written) co_return std::nullopt;
  co_return version;
}

Task<bool> RedisStore::extend(std::string_view key, Milliseconds lifetime) {
  try {
    auto command = redis_.command<bool>("PEXPIRE", name_of(key), in_milliseconds(lifetime));
    co_return co_await std::move(command);
  } catch (const RedisError& error) {
    throw StoreError(error.what());
  }
}

Task<bool> RedisStore::erase(std::string_view key, std::optional<std::uint64_t> expected) {
  const std::string name = name_of(key);
  try {
    if (!expected) {
      auto command = redis_.command<bool>("DEL", name);
      co_return co_await std::move(command);
    }
    auto script = redis_.eval<bool>(erase_script(), RedisKeys(name), text_of(*expected));
    co_return co_await std::move(script);
  } catch (const RedisError& error) {
    throw StoreError(error.what());
  }
}

}  // namespace tern
