// Memory for one exchange: allocated by moving a pointer, freed all at once.
#pragma once

#include <cstddef>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

// Not thread-safe: belongs to one exchange on one loop. An unused arena owns no memory.
class Arena {
public:
  Arena() noexcept = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { clear(); }

  // Raw memory until clear(). `alignment` is a power of two, at most alignof(std::max_align_t). Throws std::bad_alloc.
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t));

  // A copy of `text` that lives until clear().
  std::string_view copy(std::string_view text);

  // An object that lives until clear(), which destroys the objects in reverse order.
  template <class T, class... Arguments>
  T& make(Arguments&&... arguments) {
    static_assert(alignof(T) <= alignof(std::max_align_t), "an arena has no over-aligned memory");
    void* place = allocate(sizeof(T), alignof(T));
    if constexpr (std::is_trivially_destructible_v<T>) {
      return *::new (place) T(std::forward<Arguments>(arguments)...);
    } else {
      void* note =
          allocate(sizeof(Cleanup), alignof(Cleanup));  // before the object, which would not be destroyed otherwise
      T* object = ::new (place) T(std::forward<Arguments>(arguments)...);
      at_clear(note, object, [](void* dead) noexcept { static_cast<T*>(dead)->~T(); });
      return *object;
    }
  }

  // Destroys the objects of make() and frees the memory.
  void clear() noexcept {
    if (blocks_ != nullptr) give_back();
  }

  // Bytes taken from the heap (or the block pool) now.
  std::size_t footprint() const noexcept { return footprint_; }

private:
  struct Block {
    Block* previous;
    std::size_t size;
  };
  struct Cleanup {
    Cleanup* previous;
    void* object;
    void (*destroy)(void*) noexcept;
  };

  void give_back() noexcept;
  void at_clear(void* note, void* object, void (*destroy)(void*) noexcept) noexcept;

  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  Block* blocks_ = nullptr;
  Cleanup* cleanups_ = nullptr;
  std::size_t footprint_ = 0;
};

}  // namespace tern
