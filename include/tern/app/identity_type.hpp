// What the library knows about the type of an authenticated user: its name, and how its roles and scopes are read.
#pragma once

#include <tern/app/handler_traits.hpp>
#include <tern/json/enums.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace tern::app {

struct IdentityType {
  std::string_view name;
  // Null: users of this type have none.
  bool (*has_role)(const void* user, std::string_view role);
  bool (*has_scope)(const void* user, std::string_view scope);
};

template <class T>
bool is_grant(const T& value, std::string_view name) {
  if constexpr (std::is_enum_v<T>) {
    const auto own = enum_name(value);
    return own && *own == name;
  } else {
    return std::string_view(value) == name;
  }
}

template <class T>
concept GrantName = std::is_enum_v<T> || std::convertible_to<const T&, std::string_view>;
template <class T>
concept GrantList = !GrantName<T> && requires(const T& list) {
  { *list.begin() } -> std::convertible_to<std::remove_cvref_t<decltype(*list.begin())>>;
  requires GrantName<std::remove_cvref_t<decltype(*list.begin())>>;
};

template <GrantList T>
bool has_grant(const T& list, std::string_view name) {
  for (const auto& each : list) {
    if (is_grant(each, name)) return true;
  }
  return false;
}

// Of names that are separated by spaces (RFC 6749, section 3.3).
constexpr bool has_word(std::string_view words, std::string_view name) {
  while (!words.empty()) {
    const std::size_t end = words.find(' ');
    if (words.substr(0, end) == name) return !name.empty();
    words.remove_prefix(end == words.npos ? words.size() : end + 1);
  }
  return false;
}

template <class User>
consteval auto role_reader() -> bool (*)(const void*, std::string_view) {
  if constexpr (requires(const User& user) {
                  { user.has_role(std::string_view()) } -> std::convertible_to<bool>;
                }) {
    return [](const void* user, std::string_view role) { return bool(static_cast<const User*>(user)->has_role(role)); };
  } else if constexpr (requires(const User& user) { requires GrantList<std::remove_cvref_t<decltype(user.roles)>>; }) {
    return
        [](const void* user, std::string_view role) { return has_grant(static_cast<const User*>(user)->roles, role); };
  } else if constexpr (requires(const User& user) { requires GrantName<std::remove_cvref_t<decltype(user.role)>>; }) {
    return [](const void* user, std::string_view role) { return is_grant(static_cast<const User*>(user)->role, role); };
  } else {
    return nullptr;
  }
}

template <class User>
consteval auto scope_reader() -> bool (*)(const void*, std::string_view) {
  if constexpr (requires(const User& user) {
                  { user.has_scope(std::string_view()) } -> std::convertible_to<bool>;
                }) {
    return
        [](const void* user, std::string_view scope) { return bool(static_cast<const User*>(user)->has_scope(scope)); };
  } else if constexpr (requires(const User& user) { requires GrantList<std::remove_cvref_t<decltype(user.scopes)>>; }) {
    return [](const void* user, std::string_view scope) {
      return has_grant(static_cast<const User*>(user)->scopes, scope);
    };
  } else if constexpr (requires(const User& user) {
                         { user.scope } -> std::convertible_to<std::string_view>;
                       }) {
    return
        [](const void* user, std::string_view scope) { return has_word(static_cast<const User*>(user)->scope, scope); };
  } else {
    return nullptr;
  }
}

// One for each type, by whose address it is known.
template <class User>
inline constexpr IdentityType identity_type{type_name<User>(), role_reader<User>(), scope_reader<User>()};

template <class User>
struct IdentityTypeOf {
  static constexpr const IdentityType* value = &identity_type<User>;
};

}  // namespace tern::app
