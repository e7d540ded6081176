// Values that were parsed from large content are destroyed on the thread pool, since this takes long.
#pragma once

#include <tern/coro/offload.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace tern::app {

// From this size on, content is parsed on the pool: JSON takes up to 90 ns per byte, and no other request should wait
// for more than about 20 ms of it. Content that is complete together with its head is smaller
// (net::Loop::receive_size).
inline constexpr std::size_t large_content = 256 * 1024;

template <class T>
class Remains final : public Job {
public:
  explicit Remains(T&& value) noexcept : value_(std::move(value)) {}
  void run() noexcept override { delete this; }
  void drop() noexcept override { delete this; }

private:
  T value_;
};

// Of the loop that the calling thread runs; null elsewhere, and where the loop has none.
Offloader* pool_of_loop() noexcept;

// Where there is no pool, or it has no room, the value stays to be destroyed by its owner. Before everything else that
// waits for the pool: there are never more such values than jobs that have made them.
template <class T>
void destroy_on_pool(T& value) noexcept {
  if constexpr (!std::is_trivially_destructible_v<T> && std::is_nothrow_move_constructible_v<T>) {
    Offloader* const pool = pool_of_loop();
    if (pool == nullptr) return;
    auto* const job = new (std::nothrow) Remains<T>(std::move(value));
    if (job != nullptr && !pool->submit(Priority::High, *job)) delete job;
  }
}

// A base of a Holder, behind Holder<T>, so that the value is still there when this is destroyed.
template <class Held>
class MaybeLarge {
public:
  MaybeLarge() noexcept = default;
  MaybeLarge(const MaybeLarge&) noexcept = default;
  MaybeLarge(MaybeLarge&& other) noexcept : large_(std::exchange(other.large_, false)) {}
  MaybeLarge& operator=(const MaybeLarge&) noexcept = default;
  MaybeLarge& operator=(MaybeLarge&& other) noexcept {
    std::swap(large_, other.large_);
    return *this;
  }
  ~MaybeLarge() {
    if (large_) destroy_on_pool(static_cast<Held*>(this)->value);
  }

  void came_from(std::size_t bytes) noexcept { large_ = bytes >= large_content; }

private:
  bool large_ = false;
};

}  // namespace tern::app
