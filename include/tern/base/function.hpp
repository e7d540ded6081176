// A move-only callable with a given signature. Replaces <functional> in public headers, because that is large.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace tern::base {

template <class Signature>
class Function;

// Small callables with a nothrow move are stored inline, others on the heap. Calling an empty one is undefined.
template <class R, class... Arguments>
class Function<R(Arguments...)> {
public:
  Function() noexcept = default;

  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, Function> &&
             std::is_invocable_r_v<R, std::decay_t<F>&, Arguments...>)
  Function(F&& f) {  // NOLINT: a function is what it calls
    using Stored = std::decay_t<F>;
    if constexpr (fits<Stored>) {
      ::new (static_cast<void*>(storage_)) Stored(std::forward<F>(f));
      operations_ = &inside<Stored>;
    } else {
      ::new (static_cast<void*>(storage_)) Stored*(new Stored(std::forward<F>(f)));
      operations_ = &outside<Stored>;
    }
  }

  Function(Function&& other) noexcept { take(other); }
  Function& operator=(Function&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;
  ~Function() { reset(); }

  explicit operator bool() const noexcept { return operations_ != nullptr; }

  R operator()(Arguments... arguments) const {
    return operations_->call(const_cast<std::byte*>(storage_), std::forward<Arguments>(arguments)...);
  }

private:
  struct Operations {
    R (*call)(std::byte*, Arguments&&...);
    void (*move)(std::byte* from, std::byte* to) noexcept;
    void (*destroy)(std::byte*) noexcept;
  };

  template <class F>
  static constexpr bool fits =
      sizeof(F) <= 3 * sizeof(void*) && alignof(F) <= alignof(void*) && std::is_nothrow_move_constructible_v<F>;

  template <class F>
  static F* at(std::byte* storage) {
    return std::launder(reinterpret_cast<F*>(storage));
  }

  template <class F>
  static constexpr Operations inside{[](std::byte* self, Arguments&&... arguments) -> R {
                                       return static_cast<R>((*at<F>(self))(std::forward<Arguments>(arguments)...));
                                     },
                                     [](std::byte* from, std::byte* to) noexcept {
                                       ::new (static_cast<void*>(to)) F(std::move(*at<F>(from)));
                                       at<F>(from)->~F();
                                     },
                                     [](std::byte* self) noexcept { at<F>(self)->~F(); }};

  template <class F>
  static constexpr Operations outside{
      [](std::byte* self, Arguments&&... arguments) -> R {
        return static_cast<R>((**at<F*>(self))(std::forward<Arguments>(arguments)...));
      },
      [](std::byte* from, std::byte* to) noexcept { ::new (static_cast<void*>(to)) F*(*at<F*>(from)); },
      [](std::byte* self) noexcept { delete *at<F*>(self); }};

  void take(Function& other) noexcept {
    operations_ = other.operations_;
    if (operations_ != nullptr) operations_->move(other.storage_, storage_);
    other.operations_ = nullptr;
  }
  void reset() noexcept {
    // Empty first: the destructor of the callable may access this function.
    if (const Operations* dead = std::exchange(operations_, nullptr)) dead->destroy(storage_);
  }

  const Operations* operations_ = nullptr;
  alignas(void*) std::byte storage_[3 * sizeof(void*)];
};

}  // namespace tern::base
