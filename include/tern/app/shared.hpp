// Shared: a value behind a mutex, for State.
#pragma once

#include <tern/base/mutex.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace tern {

// The value of a Shared<T>, locked until this object is destroyed.
template <class T>
class [[nodiscard]] Locked {
public:
  Locked(T& value, base::Mutex& mutex) : mutex_(&mutex), value_(&value) { mutex.lock(); }
  Locked(Locked&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)), value_(other.value_) {}
  Locked& operator=(Locked&& other) = delete;
  ~Locked() {
    if (mutex_ != nullptr) mutex_->unlock();
  }

  T& operator*() const noexcept { return *value_; }
  T* operator->() const noexcept { return value_; }

private:
  base::Mutex* mutex_;
  T* value_;
};

// A T that several threads change, accessed only through lock(), also if it is const:
//   app.state(tern::Shared(std::map<int, Book>()));
//   app.get("/books/{id}", [](tern::State<tern::Shared<std::map<int, Book>>> books, int id) {
//     return books->lock()->at(id);
//   });
// lock() blocks its thread: hold a Locked for a few lines, never across a co_await, and lock one Shared only once. It
// may be moved only before it is shared.
template <class T>
class Shared {
public:
  using Value = T;

  Shared()
    requires std::default_initializable<T>
  = default;
  explicit Shared(T value) : value_(std::move(value)) {}
  template <class... A>
    requires std::constructible_from<T, A...>
  explicit Shared(std::in_place_t, A&&... arguments) : value_(std::forward<A>(arguments)...) {}
  Shared(Shared&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : value_(std::move(other.value_)) {}
  Shared& operator=(Shared&& other) = delete;

  Locked<T> lock() const { return Locked<T>(value_, mutex_); }

private:
  mutable base::Mutex mutex_;
  mutable T value_{};
};

}  // namespace tern
