// Channel: a bounded queue between coroutines of one loop.
#pragma once

#include <tern/coro/waiter.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tern {

template <class T>
class Channel;

namespace coro {

template <class T>
class SendWait final : public Waiter, public Hook<SendWait<T>> {
public:
  SendWait(Channel<T>& channel, T&& value) : channel_(channel), value_(std::move(value)) {}
  bool await_resume() const {
    this->check();
    return sent_;
  }

private:
  friend class Channel<T>;
  const char* what() const noexcept override { return "channel"; }
  bool ready() noexcept override {
    sent_ = channel_.push(value_);
    return sent_ || channel_.closed();
  }
  bool enter() noexcept override {
    channel_.senders_.push(*this);
    return true;
  }
  bool leave() noexcept override {
    Hook<SendWait>::unlink();
    return true;
  }
  void end(bool sent) noexcept {
    sent_ = sent;
    this->wake();
  }

  Channel<T>& channel_;
  T value_;
  bool sent_ = false;
};

template <class T>
class ReceiveWait final : public Waiter, public Hook<ReceiveWait<T>> {
public:
  explicit ReceiveWait(Channel<T>& channel) noexcept : channel_(channel) {}
  std::optional<T> await_resume() {
    this->check();
    return std::move(value_);
  }

private:
  friend class Channel<T>;
  const char* what() const noexcept override { return "channel"; }
  bool ready() noexcept override {
    value_ = channel_.pop();
    return value_.has_value() || channel_.closed();
  }
  bool enter() noexcept override {
    channel_.receivers_.push(*this);
    return true;
  }
  bool leave() noexcept override {
    Hook<ReceiveWait>::unlink();
    return true;
  }
  void end() noexcept { this->wake(); }

  Channel<T>& channel_;
  std::optional<T> value_;
};

}  // namespace coro

// First in, first out, for any number of senders and receivers. Holds up to `capacity` values; with a capacity of 0, a
// sender waits for its receiver. Belongs to one loop: everything except the constructor is called there; other threads
// post to it: executor.post([&] { channel.try_send(…); }). Must outlive all waits. T is nothrow-movable.
template <class T>
class Channel {
public:
  static_assert(std::is_nothrow_move_constructible_v<T>, "what goes through a channel moves without throwing");

  explicit Channel(std::size_t capacity) : places_(capacity) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  class [[nodiscard]] Send {
  public:
    Send(Channel& channel, T&& value) noexcept : channel_(channel), value_(std::move(value)) {}
    coro::SendWait<T> operator co_await() && { return coro::SendWait<T>(channel_, std::move(value_)); }

  private:
    Channel& channel_;
    T value_;
  };
  struct [[nodiscard]] Receive {
    coro::ReceiveWait<T> operator co_await() const noexcept { return coro::ReceiveWait<T>(channel); }
    Channel& channel;
  };

  // co_await channel.send(value): waits for room. False if the channel is closed, also during the wait; the value is
  // lost then. Throws Cancelled, without sending the value, if the coroutine is stopped.
  Send send(T value) noexcept { return Send(*this, std::move(value)); }
  // co_await channel.receive(): waits for a value. Unset if the channel is closed and empty. Throws Cancelled if the
  // coroutine is stopped; no value is lost then.
  Receive receive() noexcept { return {*this}; }

  // Does not wait: false if there is no room, or the channel is closed; the value is lost then.
  bool try_send(T value) noexcept { return push(value); }
  // Does not wait: unset if there is no value.
  std::optional<T> try_receive() noexcept { return pop(); }

  // Closes the channel: waiting senders get false, receivers still get the queued values.
  void close() noexcept {
    closed_ = true;
    while (auto* sender = senders_.pop()) sender->end(false);
    while (auto* receiver = receivers_.pop()) receiver->end();
  }

  bool closed() const noexcept { return closed_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return places_.size(); }

private:
  friend class coro::SendWait<T>;
  friend class coro::ReceiveWait<T>;

  // Passes the value directly to a waiting receiver; then nothing is queued. Does not change the value if it returns
  // false.
  bool push(T& value) noexcept {
    if (closed_) return false;
    if (auto* receiver = receivers_.pop()) {
      receiver->value_.emplace(std::move(value));
      receiver->end();
      return true;
    }
    if (size_ == places_.size()) return false;
    places_[(first_ + size_++) % places_.size()].emplace(std::move(value));
    return true;
  }

  std::optional<T> pop() noexcept {
    std::optional<T> value;
    if (size_ != 0) {
      value = std::move(places_[first_]);
      places_[first_].reset();
      first_ = (first_ + 1) % places_.size();
      --size_;
    }
    if (auto* sender = senders_.pop()) {
      T& next = sender->value_;
      if (value) {
        places_[(first_ + size_++) % places_.size()].emplace(std::move(next));
      } else {
        value.emplace(std::move(next));
      }
      sender->end(true);
    }
    return value;
  }

  std::vector<std::optional<T>> places_;  // ring buffer
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  bool closed_ = false;
  coro::List<coro::SendWait<T>> senders_;       // only while the buffer is full
  coro::List<coro::ReceiveWait<T>> receivers_;  // only while the buffer is empty
};

}  // namespace tern
