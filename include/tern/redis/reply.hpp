// RedisReply: what Redis has replied to a command, and its conversion to a C++ type.
#pragma once

#include <tern/base/number.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern {

// A value of RESP2. Strings are any bytes.
struct RedisReply {
  enum class Kind : std::uint8_t { Nil, Status, String, Integer, List, Error };

  Kind kind = Kind::Nil;
  std::int64_t integer = 0;            // of an Integer
  std::string text = {};               // of a Status, a String or an Error
  std::vector<RedisReply> items = {};  // of a List

  bool is_nil() const noexcept { return kind == Kind::Nil; }
};

// An entry of a stream: XRANGE replies a std::vector of them, XREAD and XREADGROUP a
// std::optional<std::map<std::string, std::vector<RedisStreamEntry>>> by the names of streams.
struct RedisStreamEntry {
  std::string id;
  std::vector<std::pair<std::string, std::string>> fields;  // in their order; empty if the entry was deleted

  // The value of the first field of that name; empty if there is none.
  std::string_view field(std::string_view name) const noexcept {
    for (const auto& [other, value] : fields) {
      if (other == name) return value;
    }
    return {};
  }
};

namespace redis {

// Throws RedisError: `reply` is not `wanted`. An Error is thrown as what Redis has said.
[[noreturn]] void refuse(const RedisReply& reply, std::string_view wanted);

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;

template <class T>
concept MapLike = requires(T& map, typename T::key_type key, typename T::mapped_type value) {
  map.insert_or_assign(std::move(key), std::move(value));
};
template <class T>
concept ListLike = !std::same_as<T, std::string> &&
                   requires(T& list, typename T::value_type value) { list.push_back(std::move(value)); };
template <class T>
concept SetLike = !MapLike<T> && requires(T& set, typename T::key_type key) { set.insert(std::move(key)); };

template <class T>
T convert(RedisReply&& reply);

RedisStreamEntry convert_entry(RedisReply& reply);

// Calls f with two items at a time: HGETALL replies a list of alternating members and values, XREAD a list of lists of
// two.
template <class Key, class Value, class F>
void convert_pairs(RedisReply& reply, F f) {
  if (reply.kind != RedisReply::Kind::List) refuse(reply, "pairs");
  if (!reply.items.empty() && reply.items.front().kind == RedisReply::Kind::List) {
    for (RedisReply& pair : reply.items) {
      if (pair.kind != RedisReply::Kind::List || pair.items.size() != 2) refuse(pair, "a pair");
      f(convert<Key>(std::move(pair.items[0])), convert<Value>(std::move(pair.items[1])));
    }
    return;
  }
  if (reply.items.size() % 2 != 0) refuse(reply, "pairs");
  for (std::size_t i = 0; i < reply.items.size(); i += 2) {
    f(convert<Key>(std::move(reply.items[i])), convert<Value>(std::move(reply.items[i + 1])));
  }
}

template <class T>
T convert_container(RedisReply& reply) {
  T result;
  if constexpr (MapLike<T>) {
    convert_pairs<typename T::key_type, typename T::mapped_type>(
        reply, [&result](auto&& key, auto&& value) { result.insert_or_assign(std::move(key), std::move(value)); });
  } else if constexpr (is_pair<typename T::value_type>) {
    using Pair = typename T::value_type;
    convert_pairs<typename Pair::first_type, typename Pair::second_type>(
        reply, [&result](auto&& key, auto&& value) { result.push_back(Pair(std::move(key), std::move(value))); });
  } else {
    if (reply.kind != RedisReply::Kind::List) refuse(reply, "a list");
    for (RedisReply& item : reply.items) {
      if constexpr (SetLike<T>) {
        result.insert(convert<typename T::value_type>(std::move(item)));
      } else {
        result.push_back(convert<typename T::value_type>(std::move(item)));
      }
    }
  }
  return result;
}

template <class T>
T convert_number(const RedisReply& reply) {
  using Kind = RedisReply::Kind;
  if constexpr (std::same_as<T, bool>) {
    if (reply.kind == Kind::Status && reply.text == "OK") return true;
    if (reply.kind == Kind::Integer && (reply.integer == 0 || reply.integer == 1)) return reply.integer == 1;
    refuse(reply, "0 or 1");
  } else if constexpr (std::floating_point<T>) {
    const auto value = reply.kind == Kind::String ? base::parse_double(reply.text) : std::nullopt;
    if (value) return static_cast<T>(*value);
    if (reply.kind == Kind::Integer) return static_cast<T>(reply.integer);
    refuse(reply, "a number");
  } else {
    if (reply.kind == Kind::Integer && std::in_range<T>(reply.integer)) return static_cast<T>(reply.integer);
    const auto value = reply.kind == Kind::String ? base::parse_integer<T>(reply.text) : std::nullopt;
    if (value) return *value;
    refuse(reply, "an integer that fits");
  }
}

// See Redis::command().
template <class T>
T convert(RedisReply&& reply) {
  using Kind = RedisReply::Kind;
  if constexpr (std::same_as<T, RedisReply>) {
    return std::move(reply);
  } else if constexpr (is_optional<T>) {
    if (reply.is_nil()) return std::nullopt;
    return convert<typename T::value_type>(std::move(reply));
  } else if constexpr (std::same_as<T, RedisStreamEntry>) {
    return convert_entry(reply);
  } else if constexpr (std::same_as<T, std::string>) {
    if (reply.kind != Kind::String && reply.kind != Kind::Status) refuse(reply, "a string");
    return std::move(reply.text);
  } else if constexpr (std::same_as<T, bool> || std::floating_point<T> || base::Integer<T>) {
    return convert_number<T>(reply);
  } else {
    constexpr bool usable = MapLike<T> || ListLike<T> || SetLike<T>;
    static_assert(usable,
                  "tern: the reply to a Redis command becomes void, bool, a number, a std::string, a std::optional, a "
                  "container or map of these, a tern::RedisStreamEntry, or a tern::RedisReply");
    if constexpr (usable) return convert_container<T>(reply);
  }
}

}  // namespace redis
}  // namespace tern
