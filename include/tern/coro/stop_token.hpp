// Whether the one who asked is still there: a request's stop token fires when its client is gone or the server gives
// up.
#pragma once

namespace tern {

// What a stop token looks at. One owner; stop() is called on the owner's loop, once or more.
class StopState {
public:
  StopState() = default;
  StopState(const StopState&) = delete;
  StopState& operator=(const StopState&) = delete;
  ~StopState();  // callbacks that are left will not be called

  bool stopped() const noexcept { return __atomic_load_n(&stopped_, __ATOMIC_ACQUIRE); }
  // Calls the callbacks. Coroutines that wait are not resumed from inside: they get their turn on the loop.
  void stop() noexcept;
  void reset() noexcept { __atomic_store_n(&stopped_, false, __ATOMIC_RELEASE); }

private:
  friend class StopCallback;
  class StopCallback* callbacks_ = nullptr;
  bool stopped_ = false;
};

// Valid as long as the request it came from. stop_requested() may be asked from any thread.
class StopToken {
public:
  StopToken() noexcept = default;
  explicit StopToken(StopState& state) noexcept : state_(&state) {}

  bool stop_requested() const noexcept { return state_ != nullptr && state_->stopped(); }
  StopState* state() const noexcept { return state_; }

private:
  StopState* state_ = nullptr;
};

// Called once when the token fires, on its loop and at once; never when it has been destroyed before, or when the token
// had fired already. Belongs to the loop's thread.
class StopCallback {
public:
  explicit StopCallback(StopToken token) noexcept { watch(token); }
  StopCallback(const StopCallback&) = delete;
  StopCallback& operator=(const StopCallback&) = delete;

  virtual void on_stop() noexcept = 0;

protected:
  StopCallback() noexcept = default;  // of nobody yet
  ~StopCallback() { unwatch(); }

  // While it watches nobody.
  void watch(StopToken token) noexcept;
  void unwatch() noexcept;

private:
  friend class StopState;
  StopCallback* next_ = nullptr;
  StopCallback** previous_ = nullptr;
};

// A stop state of one's own that also stops when `outer` does.
class LinkedStop final : public StopState, private StopCallback {
public:
  explicit LinkedStop(StopToken outer) noexcept : StopCallback(outer), outer_(outer) {
    if (outer.stop_requested()) stop();
  }
  ~LinkedStop() = default;

  bool stopped_from_outside() const noexcept { return outer_.stop_requested(); }

private:
  void on_stop() noexcept override { stop(); }
  StopToken outer_;
};

}  // namespace tern
