// The places of a ConcurrencyLimit: a semaphore over all loops, with a bounded queue.
//
// A place that is given back passes directly to the coroutine that has waited longest, so that others cannot overtake
// it. The lock is held for a few instructions.
#pragma once

#include <tern/coro/waiter.hpp>

#include <cstddef>
#include <mutex>
#include <utility>

namespace tern::web {

class Places;
class PlaceWait;

// A taken place, given back by the destructor, on any loop. May be empty.
class Place {
public:
  Place() noexcept = default;
  Place(Place&& other) noexcept : places_(std::exchange(other.places_, nullptr)) {}
  Place& operator=(Place&& other) noexcept {
    std::swap(places_, other.places_);
    return *this;
  }
  ~Place();

  explicit operator bool() const noexcept { return places_ != nullptr; }

private:
  friend class Places;
  friend class PlaceWait;
  explicit Place(Places& places) noexcept : places_(&places) {}

  Places* places_ = nullptr;
};

class Places {
public:
  Places(std::size_t limit, std::size_t queue) noexcept : free_(limit), queue_(queue) {}

  // Empty if none is free.
  Place try_take() noexcept;

  struct [[nodiscard]] Take {
    PlaceWait operator co_await() const noexcept;
    Places& places;
  };
  // co_await places.take(): waits for a place; empty if the queue is full. Throws Cancelled if the coroutine is
  // stopped.
  Take take() noexcept { return {*this}; }

private:
  friend class Place;
  friend class PlaceWait;

  bool enter(PlaceWait& wait) noexcept;
  bool leave(PlaceWait& wait) noexcept;
  void give_back() noexcept;

  std::mutex mutex_;  // guards all, and PlaceWait::has_place_ of those that wait
  std::size_t free_;
  std::size_t queue_;  // room in the queue
  coro::List<PlaceWait> waiting_;
};

class PlaceWait final : public coro::Waiter, public coro::Hook<PlaceWait> {
public:
  explicit PlaceWait(Places& places) noexcept : places_(places) {}
  ~PlaceWait() {
    if (waits()) places_.leave(*this);
    if (has_place_) places_.give_back();
  }
  Place await_resume() {
    check();
    return std::exchange(has_place_, false) ? Place(places_) : Place();
  }

private:
  friend class Places;
  const char* what() const noexcept override { return "concurrency limit"; }
  bool ready() noexcept override { return false; }
  bool enter() noexcept override { return places_.enter(*this); }
  bool leave() noexcept override { return places_.leave(*this); }

  Places& places_;
  bool has_place_ = false;
};

inline PlaceWait Places::Take::operator co_await() const noexcept {
  return PlaceWait(places);
}

}  // namespace tern::web
