// Cooperative cancellation: a request's stop token fires when its client disconnects, or the server cancels the work.
#pragma once

namespace tern {

namespace coro {
class WaitLog;
}

// The state behind stop tokens. One owner; stop() is called on the owner's loop, once or more.
class StopState {
public:
  StopState() = default;
  StopState(const StopState&) = delete;
  StopState& operator=(const StopState&) = delete;
  ~StopState();  // drops remaining callbacks

  bool stopped() const noexcept { return __atomic_load_n(&stopped_, __ATOMIC_ACQUIRE); }
  // Calls the callbacks. Waiting coroutines are not resumed within this call, but at their turns on the loop.
  void stop() noexcept;
  void reset() noexcept { __atomic_store_n(&stopped_, false, __ATOMIC_RELEASE); }

  // Where waits of the coroutines with this state are noted; null: nowhere. It must outlive them.
  coro::WaitLog* wait_log() const noexcept { return wait_log_; }
  void set_wait_log(coro::WaitLog* log) noexcept { wait_log_ = log; }

private:
  friend class StopCallback;
  class StopCallback* callbacks_ = nullptr;
  coro::WaitLog* wait_log_ = nullptr;
  bool stopped_ = false;
};

// Valid as long as the request it came from. stop_requested() may be called from any thread.
class StopToken {
public:
  StopToken() noexcept = default;
  explicit StopToken(StopState& state) noexcept : state_(&state) {}

  bool stop_requested() const noexcept { return state_ != nullptr && state_->stopped(); }
  StopState* state() const noexcept { return state_; }

private:
  StopState* state_ = nullptr;
};

// Called once and directly when the token fires, on its loop; never after destruction, or if the token had fired
// before. Belongs to the loop's thread.
class StopCallback {
public:
  explicit StopCallback(StopToken token) noexcept { watch(token); }
  StopCallback(const StopCallback&) = delete;
  StopCallback& operator=(const StopCallback&) = delete;

  virtual void on_stop() noexcept = 0;

protected:
  StopCallback() noexcept = default;  // without a token
  ~StopCallback() { unwatch(); }

  // Only while it has no token.
  void watch(StopToken token) noexcept;
  void unwatch() noexcept;

private:
  friend class StopState;
  StopCallback* next_ = nullptr;
  StopCallback** previous_ = nullptr;
};

// A stop state that is also stopped by `outer`.
class LinkedStop final : public StopState, private StopCallback {
public:
  explicit LinkedStop(StopToken outer) noexcept : StopCallback(outer), outer_(outer) {
    if (outer.state() != nullptr) set_wait_log(outer.state()->wait_log());
    if (outer.stop_requested()) stop();
  }
  ~LinkedStop() = default;

  bool outer_stopped() const noexcept { return outer_.stop_requested(); }

private:
  void on_stop() noexcept override { stop(); }
  StopToken outer_;
};

}  // namespace tern
