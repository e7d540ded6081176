// What handlers and middleware need of an app; the start checks that it is there.
#pragma once

#include <tern/app/extract.hpp>
#include <tern/app/respond.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tern::app {

struct Need {
  enum class Kind : std::uint8_t { Placeholder, State, PerLoop, Identity, Rules, Middleware } kind = Kind::Placeholder;
  std::string_view name;                       // of the placeholder or the type
  const void* key = nullptr;                   // of the type; an IdentityType
  void (*prepare)() = nullptr;                 // compiles its rules; throws std::invalid_argument
  std::string_view given_by = "app.state(…)";  // a state
};

// Stands for the result of a handler among its parameters.
template <class R>
struct ResultOf {};

template <class A>
struct NeedsDeclaredBy {
  using type = Extract<A>;
};
template <class R>
struct NeedsDeclaredBy<ResultOf<R>> {
  using type = Respond<R>;
};
template <class A>
using NeedsOfType = typename NeedsDeclaredBy<A>::type;

template <class A>
inline constexpr bool has_need =
    requires { NeedsOfType<A>::placeholder; } || requires { NeedsOfType<A>::state_key; } ||
    requires { NeedsOfType<A>::needed_state; } || requires { NeedsOfType<A>::per_loop_key; } ||
    requires { NeedsOfType<A>::identity_type; } || requires { NeedsOfType<A>::prepare; };

template <class A>
consteval Need need_of() {
  using Declared = NeedsOfType<A>;
  if constexpr (requires { Declared::placeholder; }) {
    return {Need::Kind::Placeholder, Declared::placeholder, nullptr, prepare_rules_of_extractor<A>()};
  } else if constexpr (requires { Declared::state_key; }) {
    return {Need::Kind::State, type_name<A>(), Declared::state_key};
  } else if constexpr (requires { Declared::needed_state; }) {
    constexpr NeededState needed = Declared::needed_state;
    return {needed.is_middleware ? Need::Kind::Middleware : Need::Kind::State, needed.name, needed.key, nullptr,
            needed.given_by};
  } else if constexpr (requires { Declared::per_loop_key; }) {
    return {Need::Kind::PerLoop, type_name<A>(), Declared::per_loop_key};
  } else if constexpr (requires { Declared::identity_type; }) {
    return {Need::Kind::Identity, type_name<A>(), Declared::identity_type};
  }
  return {Need::Kind::Rules, type_name<A>(), nullptr, prepare_rules_of_extractor<A>()};
}

// No std::array, for the time that it takes to compile.
template <std::size_t N>
struct NeedList {
  Need items[N == 0 ? 1 : N];
};

template <class... A>
inline constexpr std::size_t need_count = (std::size_t{0} + ... + std::size_t{has_need<A>});

template <class... A>
consteval auto needs_of() {
  NeedList<need_count<A...>> list{};
  std::size_t at = 0;
  static_cast<void>(at);
  ((has_need<A> ? static_cast<void>(list.items[at++] = need_of<A>()) : static_cast<void>(0)), ...);
  return list;
}

template <class... A>
inline constexpr auto need_list = needs_of<A...>();

template <class... A>
inline constexpr std::span<const Need> needs{need_list<A...>.items, need_count<A...>};

}  // namespace tern::app
