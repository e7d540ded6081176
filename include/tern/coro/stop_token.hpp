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
  explicit StopCallback(StopToken token) noexcept;
  StopCallback(const StopCallback&) = delete;
  StopCallback& operator=(const StopCallback&) = delete;

  virtual void on_stop() noexcept = 0;

protected:
  ~StopCallback();

private:
  friend class StopState;
  void unlink() noexcept;
  StopCallback* next_ = nullptr;
  StopCallback** previous_ = nullptr;
};

}  // namespace tern
