// Resources: classes whose member functions are the methods of one path.
#pragma once

#include <tern/coro/task.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

namespace tern::app {

template <class T>
inline constexpr bool is_task_type = false;
template <class T>
inline constexpr bool is_task_type<Task<T>> = true;

// Calls a member function of an object that is made for this one request.
template <class C, auto Member, class R, class... A>
struct ResourceHandler {
  R operator()(A... arguments) const {
    if constexpr (is_task_type<R>) {
      return run(std::forward<A>(arguments)...);
    } else {
      C object;
      return (object.*Member)(std::forward<A>(arguments)...);
    }
  }

private:
  static R run(A... arguments) {
    C object;
    co_return co_await (object.*Member)(std::forward<A>(arguments)...);
  }
};

template <class C, auto Member, class Type = decltype(Member)>
struct ResourceHandlerOf;
template <class C, auto Member, class B, class R, class... A>
struct ResourceHandlerOf<C, Member, R (B::*)(A...)> {
  using type = ResourceHandler<C, Member, R, A...>;
};
template <class C, auto Member, class B, class R, class... A>
struct ResourceHandlerOf<C, Member, R (B::*)(A...) const> {
  using type = ResourceHandler<C, Member, R, A...>;
};
template <class C, auto Member, class B, class R, class... A>
struct ResourceHandlerOf<C, Member, R (B::*)(A...) noexcept> {
  using type = ResourceHandler<C, Member, R, A...>;
};
template <class C, auto Member, class B, class R, class... A>
struct ResourceHandlerOf<C, Member, R (B::*)(A...) const noexcept> {
  using type = ResourceHandler<C, Member, R, A...>;
};

template <class C>
concept Resource = std::is_default_constructible_v<C> &&
                   (requires { &C::get; } || requires { &C::post; } || requires { &C::put; } || requires { &C::patch; } ||
                    requires { &C::del; } || requires { &C::head; } || requires { &C::options; });

}  // namespace tern::app
