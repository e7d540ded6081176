// The parameters and the result of a handler, and readable errors for an unusable one.
#pragma once

#include <tern/base/number.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

class Request;

// A user-defined extractor: specialise with
//   static std::expected<T, tern::Rejection> from(tern::Request&);
// or, if it has to wait, a Task of that. If it uses the content, add `static constexpr bool reads_body = true;`, or
// `streams_body` if it reads the content as it arrives.
template <class T>
struct Extract;

// The whole content as received; a view like all others into the request.
struct Body {
  std::string_view bytes;
  operator std::string_view() const noexcept { return bytes; }  // NOLINT: its value
};

namespace app {

// The type's name as spelled by the compiler, for messages.
template <class T>
constexpr std::string_view type_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  return text.substr(0, text.find_first_of(";]"));
}

template <class... T>
struct TypeList {
  static constexpr std::size_t size = sizeof...(T);
};

enum class Callable { Usable, Mutable, Generic, NotCallable };

template <class R, class... A>
struct Signature {
  using Result = R;
  using Arguments = TypeList<A...>;
};

// The signature of a member operator(); it must be const, because loops share it.
template <class M>
struct OfMember {
  static constexpr Callable kind = Callable::NotCallable;
};
template <class C, class R, class... A>
struct OfMember<R (C::*)(A...) const> : Signature<R, A...> {
  static constexpr Callable kind = Callable::Usable;
};
template <class C, class R, class... A>
struct OfMember<R (C::*)(A...) const noexcept> : Signature<R, A...> {
  static constexpr Callable kind = Callable::Usable;
};
template <class C, class R, class... A>
struct OfMember<R (C::*)(A...)> : Signature<R, A...> {
  static constexpr Callable kind = Callable::Mutable;
};
template <class C, class R, class... A>
struct OfMember<R (C::*)(A...) noexcept> : Signature<R, A...> {
  static constexpr Callable kind = Callable::Mutable;
};

// A static operator() (C++23; GCC 13).
template <class R, class... A>
struct OfMember<R (*)(A...)> : Signature<R, A...> {
  static constexpr Callable kind = Callable::Usable;
};
template <class R, class... A>
struct OfMember<R (*)(A...) noexcept> : Signature<R, A...> {
  static constexpr Callable kind = Callable::Usable;
};

template <class F>
struct HandlerTraits {
  static constexpr Callable kind = std::is_class_v<F> ? Callable::Generic : Callable::NotCallable;
};
template <class R, class... A>
struct HandlerTraits<R (*)(A...)> : Signature<R, A...> {
  static constexpr Callable kind = Callable::Usable;
};
template <class R, class... A>
struct HandlerTraits<R (*)(A...) noexcept> : Signature<R, A...> {
  static constexpr Callable kind = Callable::Usable;
};
template <class F>
  requires requires { &F::operator(); }
struct HandlerTraits<F> : OfMember<decltype(&F::operator())> {};

// Read from text: a scalar, an enum or text.
template <class T>
concept TextValue = std::is_same_v<T, bool> || base::Integer<T> || std::is_floating_point_v<T> || std::is_enum_v<T> ||
                    std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>;
// Placeholder, or derived from it.
template <class T>
concept StrongPlaceholder = requires { typename T::PlaceholderType; };
// Binds to a placeholder by position.
template <class T>
concept Positional = TextValue<T> || StrongPlaceholder<T>;

template <class T>
concept Extractable = requires(Request& request) { Extract<T>::from(request); };

// Request&, a positional value or an extractor; by value, or by const reference.
template <class A>
concept UsableParameter = std::is_same_v<A, Request&> || std::is_same_v<A, const Request&> ||
                          ((!std::is_lvalue_reference_v<A> || std::is_const_v<std::remove_reference_t<A>>) &&
                           (Positional<std::remove_cvref_t<A>> || Extractable<std::remove_cvref_t<A>>));

template <class A>
concept TakesPlaceholderByName = requires { Extract<A>::placeholder; };

template <class List>
struct Parameters;
template <class... A>
struct Parameters<TypeList<A...>> {
  static constexpr std::size_t positional = (std::size_t{0} + ... + std::size_t{Positional<std::remove_cvref_t<A>>});
  static constexpr bool usable = (true && ... && UsableParameter<A>);
  // Placeholders by position and by name in one handler.
  static constexpr bool mixed = positional != 0 && (false || ... || TakesPlaceholderByName<std::remove_cvref_t<A>>);
};

// The number of placeholders that a handler takes by position; 0 for one that is rejected elsewhere.
template <class F>
consteval std::size_t positional_count() {
  if constexpr (HandlerTraits<F>::kind == Callable::Usable) {
    using Taken = Parameters<typename HandlerTraits<F>::Arguments>;
    return Taken::usable && !Taken::mixed ? Taken::positional : 0;
  } else {
    return 0;
  }
}

}  // namespace app
}  // namespace tern
