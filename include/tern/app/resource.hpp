// Resources: classes whose member functions are the methods of one path.
#pragma once

#include <tern/http/reply.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern::app {

template <class T>
inline constexpr bool is_task_type = false;
template <class T>
inline constexpr bool is_task_type<Task<T>> = true;

// Outlives the object, which may have returned a reference to, or a view of, its members.
template <class T>
struct Outliving {
  using type = T;
};
template <>
struct Outliving<std::string_view> {
  using type = std::string;
};
template <class T>
struct Outliving<Task<T>> {
  using type = Task<typename Outliving<T>::type>;
};
template <>
struct Outliving<Reply> {
  using type = Task<Response>;
};

// Calls a member function of an object that is constructed for this request.
template <class C, auto Member, class R, class... A>
struct ResourceHandler {
  using Result = typename Outliving<std::remove_cvref_t<R>>::type;

  Result operator()(A... arguments) const {
    if constexpr (is_task_type<Result>) {
      return run(std::forward<A>(arguments)...);
    } else {
      C object;
      return static_cast<Result>((object.*Member)(std::forward<A>(arguments)...));
    }
  }

private:
  static Result run(A... arguments) {
    C object;
    if constexpr (std::is_same_v<Result, Task<void>>) {
      co_await (object.*Member)(std::forward<A>(arguments)...);
    } else {
      co_return typename Result::value_type(co_await (object.*Member)(std::forward<A>(arguments)...));
    }
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
