// when_all and when_any: run several tasks concurrently on this loop.
//
// Both wait until every started task has ended, in all cases, so that no task outlives the call. The tasks start in the
// order of the arguments, each running to its first wait. Once the result is decided, later tasks do not start.
#pragma once

#include <tern/coro/awaitable.hpp>

#include <coroutine>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern {

// Replaces void among values.
struct Nothing {};

// The result of when_any(): the index of the first task, from 0, and its value.
template <class T>
struct First {
  std::size_t index = 0;
  T value;
};
template <>
struct First<void> {
  std::size_t index = 0;
};

namespace coro {

template <class T>
using Value = std::conditional_t<std::is_void_v<T>, Nothing, T>;

class Context;

// Concurrent tasks.
class Group {
public:
  enum class Until : bool { FirstFails, FirstEnds };

  Group(StopToken outer, Until until) noexcept;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  bool decided() const noexcept { return decisive_ != none; }
  // The task that decided the result; only if decided().
  std::size_t decisive() const noexcept { return decisive_; }
  StopState& stop() noexcept { return stop_; }
  void begun() noexcept { ++running_; }
  // A task has run to its first wait.
  void started() noexcept;
  void ended(std::size_t index, bool failed) noexcept;

  // The coroutine in joined().
  Suspended awaited_by() const noexcept { return waiting_; }

  // Waits until no task runs; cannot be stopped, because the tasks are.
  auto joined() noexcept { return Joined{*this}; }

private:
  struct Joined {
    Group& group;
    bool await_ready() const noexcept { return group.running_ == 0; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiting) const noexcept {
      group.waiting_ = {waiting, is_task<Promise>};
    }
    void await_resume() const noexcept {}
  };

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  LinkedStop stop_;
  Suspended waiting_;
  Context* context_;  // of the caller
  std::size_t running_ = 0;
  std::size_t decisive_ = none;
  Until until_;
};

template <class T>
class Member final : public GroupedTask {
public:
  Member(Task<T> task, Group& group, std::size_t index) noexcept
      : task_(std::move(task)), group_(&group), index_(index) {}

  void start() {
    if (group_->decided()) return;
    task_.inherit_stop(&group_->stop());
    group_->begun();
    const bool ended = task_.start(&end_grouped_task, static_cast<GroupedTask*>(this));
    group_->started();
    if (ended) group_->ended(index_, task_.failed());
  }
  bool is(std::size_t index) const noexcept { return index == index_; }
  // Its value; throws its exception.
  Value<T> take() {
    if constexpr (std::is_void_v<T>) {
      task_.result();
      return {};
    } else {
      return task_.result();
    }
  }

private:
  void on_end() noexcept override { group_->ended(index_, task_.failed()); }
  Suspended awaited_by() const noexcept override { return group_->awaited_by(); }

  Task<T> task_;
  Group* group_;
  std::size_t index_;
};

template <class T>
std::vector<Member<T>> members_of(std::vector<Task<T>> tasks, Group& group) {
  std::vector<Member<T>> members;
  members.reserve(tasks.size());
  for (Task<T>& task : tasks) members.emplace_back(std::move(task), group, members.size());
  return members;
}

template <std::size_t... I, class... T>
std::tuple<Member<T>...> members_of(std::index_sequence<I...>, Group& group, Task<T>&... tasks) {
  return {Member<T>(std::move(tasks), group, I)...};
}

template <class... T>
using AllOf = std::conditional_t<(std::is_void_v<T> && ...), void, std::tuple<Value<T>...>>;

template <class... T>
Task<AllOf<T...>> all_of(Task<T>... tasks) {
  Group group(co_await current_stop(), Group::Until::FirstFails);
  std::tuple<Member<T>...> members = members_of(std::index_sequence_for<T...>(), group, tasks...);
  std::apply([](auto&... member) { (member.start(), ...); }, members);
  co_await group.joined();
  if (group.decided()) {
    std::apply([&group](auto&... member) { ((member.is(group.decisive()) ? void(member.take()) : void()), ...); },
               members);
  }
  if constexpr (!(std::is_void_v<T> && ...)) {
    co_return std::apply([](auto&... member) { return std::tuple<Value<T>...>(member.take()...); }, members);
  }
}

template <class T>
using AllOfMany = std::conditional_t<std::is_void_v<T>, void, std::vector<Value<T>>>;

template <class T>
Task<AllOfMany<T>> all_of_many(std::vector<Task<T>> tasks) {
  Group group(co_await current_stop(), Group::Until::FirstFails);
  std::vector<Member<T>> members = members_of(std::move(tasks), group);
  for (Member<T>& member : members) member.start();
  co_await group.joined();
  if (group.decided()) members[group.decisive()].take();
  if constexpr (!std::is_void_v<T>) {
    std::vector<T> values;
    values.reserve(members.size());
    for (Member<T>& member : members) values.push_back(member.take());
    co_return values;
  }
}

template <class T>
Task<First<T>> any_of_many(std::vector<Task<T>> tasks) {
  base::expects(!tasks.empty(), "when_any has something to wait for");
  Group group(co_await current_stop(), Group::Until::FirstEnds);
  std::vector<Member<T>> members = members_of(std::move(tasks), group);
  for (Member<T>& member : members) member.start();
  co_await group.joined();
  Member<T>& first = members[group.decisive()];
  if constexpr (std::is_void_v<T>) {
    first.take();
    co_return First<void>{group.decisive()};
  } else {
    co_return First<T>{group.decisive(), first.take()};
  }
}

template <class... T>
inline constexpr bool same = false;
template <class T, class... U>
inline constexpr bool same<T, U...> = (std::is_same_v<T, U> && ...);

// The common type of the tasks' values; a tuple if they differ.
template <class... T>
struct Common {
  using Type = std::tuple<std::optional<Value<T>>...>;
};
template <class T, class... U>
  requires same<T, U...>
struct Common<T, U...> {
  using Type = T;
};

template <class... T>
Task<First<typename Common<T...>::Type>> any_of(Task<T>... tasks) {
  Group group(co_await current_stop(), Group::Until::FirstEnds);
  std::tuple<Member<T>...> members = members_of(std::index_sequence_for<T...>(), group, tasks...);
  std::apply([](auto&... member) { (member.start(), ...); }, members);
  co_await group.joined();
  using Result = First<typename Common<T...>::Type>;
  if constexpr (same<T...>) {
    std::optional<Value<typename Common<T...>::Type>> value;
    const auto take = [&](auto& member) {
      if (member.is(group.decisive())) value.emplace(member.take());
    };
    std::apply([&take](auto&... member) { (take(member), ...); }, members);
    if constexpr (std::is_same_v<Result, First<void>>) {
      co_return Result{group.decisive()};
    } else {
      co_return Result{group.decisive(), std::move(*value)};
    }
  } else {
    std::tuple<std::optional<Value<T>>...> values;
    const auto take = [&](auto& member, auto& value) {
      if (member.is(group.decisive())) value.emplace(member.take());
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (take(std::get<I>(members), std::get<I>(values)), ...);
    }(std::index_sequence_for<T...>());
    co_return Result{group.decisive(), std::move(values)};
  }
}

}  // namespace coro

// co_await tern::when_all(a, b, …): a tuple of all values, with `Nothing` in place of void; void if all are void. The
// first exception stops the others, and is rethrown when they have ended.
template <coro::Awaitable... A>
  requires(sizeof...(A) > 0)
auto when_all(A&&... awaitables) {
  return coro::all_of(coro::as_task(std::forward<A>(awaitables))...);
}
// The same for any number of tasks of one type: a vector of their values in order.
template <class T>
auto when_all(std::vector<Task<T>> tasks) {
  return coro::all_of_many(std::move(tasks));
}

// co_await tern::when_any(a, b, …): a First with the task that ended first; the others are stopped and awaited.
// Rethrows an exception of the first. The value has the tasks' type if they all have the same; otherwise it is a tuple
// of optionals, of which only the first task's is set.
template <coro::Awaitable... A>
  requires(sizeof...(A) > 0)
auto when_any(A&&... awaitables) {
  return coro::any_of(coro::as_task(std::forward<A>(awaitables))...);
}
// The same for one or more tasks of one type.
template <class T>
auto when_any(std::vector<Task<T>> tasks) {
  return coro::any_of_many(std::move(tasks));
}

}  // namespace tern
