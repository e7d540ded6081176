// A single owner of a heap object. Replaces std::unique_ptr in public headers, because <memory> is large (27,000 lines
// in libstdc++ 12).
#pragma once

#include <utility>

namespace tern::base {

// The deleter is a function pointer, so that a Box of a forward-declared type can be a member of a public class.
template <class T>
class Box {
public:
  Box() noexcept = default;
  explicit Box(T* object) noexcept : object_(object), destroy_([](T* dead) noexcept { delete dead; }) {}
  Box(Box&& other) noexcept : object_(std::exchange(other.object_, nullptr)), destroy_(other.destroy_) {}
  Box& operator=(Box&& other) noexcept {
    if (this != &other) {
      reset();
      object_ = std::exchange(other.object_, nullptr);
      destroy_ = other.destroy_;
    }
    return *this;
  }
  Box(const Box&) = delete;
  Box& operator=(const Box&) = delete;
  ~Box() { reset(); }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

  void reset() noexcept {
    if (T* dead = std::exchange(object_, nullptr)) destroy_(dead);
  }
  // Releases the object; the caller deletes it.
  [[nodiscard]] T* release() noexcept { return std::exchange(object_, nullptr); }

private:
  T* object_ = nullptr;
  void (*destroy_)(T*) noexcept = nullptr;
};

template <class T, class... Arguments>
Box<T> make_box(Arguments&&... arguments) {
  return Box<T>(new T(std::forward<Arguments>(arguments)...));
}

}  // namespace tern::base
