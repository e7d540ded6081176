// The server's side of a WebSocket, and the link between it and the handles.
//
// The handles and the server's side share the ownership of a link. Its functions may be called from any thread unless
// stated otherwise. Each loop has one mailbox, which outlives it: after close(), posted work is destroyed.
#pragma once

#include "base/gate.hpp"
#include "http/topic.hpp"

#include <tern/coro/event.hpp>
#include <tern/http/bus.hpp>
#include <tern/http/websocket.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern::http {

// On the loop's thread.
class Socket {
public:
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Drops the message if there is no room; the caller applies the policy.
  virtual SendStatus send(std::string_view content, bool is_text) = 0;
  virtual bool waits_when_full() const noexcept = 0;
  virtual void close(std::uint16_t code, std::string_view reason) = 0;
  virtual std::size_t queued() const noexcept = 0;
  virtual std::size_t max_queued() const noexcept = 0;
  virtual void subscribe(const TopicFilter& filter) = 0;
  virtual void unsubscribe(const TopicFilter& filter) = 0;
  virtual void publish(const Publication& publication) = 0;
  // A queued message was received.
  virtual void on_message_taken() = 0;

protected:
  Socket() = default;
  ~Socket() = default;
};

class SocketMailbox {
public:
  explicit SocketMailbox(Executor& executor) noexcept : executor_(&executor) {}

  // From any thread; does not block. False, and the work is destroyed, if the loop is gone.
  bool post(base::Function<void()> work);
  // To be called before the executor is destroyed: nothing is posted to it afterwards.
  void close() noexcept { gate_.close(); }
  bool is_current() const noexcept { return Executor::current() == executor_; }

private:
  Executor* const executor_;
  base::Gate gate_;  // guards the executor
};

class SocketLink {
public:
  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // --- The server's side, on the loop ---

  void open(Socket& socket, std::shared_ptr<SocketMailbox> mailbox, std::string protocol);
  // No more sending: a waiting receiver gets an unset message, waiting senders get Closed.
  void close(std::uint16_t code) noexcept;
  // The socket is destroyed.
  void detach() noexcept { socket_ = nullptr; }
  // Whether a coroutine waits for a message.
  bool has_receiver() const noexcept { return receiver_ != nullptr; }
  // Passes a message to the waiting receiver, and resumes it before this returns.
  void deliver(Message message);
  // Queues a message for a later receiver.
  void enqueue(Message message);
  std::size_t queued() const noexcept { return messages_.size(); }
  std::size_t queued_bytes() const noexcept { return queued_bytes_; }
  Event& room() noexcept { return room_; }

  // --- Handles ---

  bool is_open() const noexcept { return state_.load(std::memory_order_acquire) == State::Open; }
  // The socket while it is open or closing; null on other threads than its loop's.
  Socket* local_socket() const noexcept;
  SocketMailbox* mailbox() const noexcept;
  std::string_view protocol() const noexcept;
  std::uint16_t close_code() const noexcept { return close_code_.load(std::memory_order_relaxed); }
  // Counts messages in flight from other threads; false if there are too many.
  bool add_posted(std::size_t bytes) noexcept;
  void take_posted(std::size_t bytes) noexcept { posted_.fetch_sub(bytes, std::memory_order_relaxed); }

private:
  friend class ReceiveWait;
  enum class State : std::uint8_t { New, Open, Closed };

  // False if there will be no message, or if `wait` has one already.
  bool enter(ReceiveWait& wait);
  void leave(ReceiveWait& wait) noexcept;

  std::atomic<std::uint32_t> references_ = 1;
  std::atomic<State> state_ = State::New;
  std::atomic<bool> bound_ = false;  // mailbox_ and protocol_ are set and constant
  std::atomic<std::uint16_t> close_code_ = 0;
  std::atomic<std::size_t> posted_ = 0;
  std::size_t max_posted_ = 0;
  std::shared_ptr<SocketMailbox> mailbox_;
  std::string protocol_;
  Socket* socket_ = nullptr;  // this and below: on the loop only
  ReceiveWait* receiver_ = nullptr;
  std::vector<Message> messages_;  // queued for a later receiver; few
  std::size_t queued_bytes_ = 0;
  Event room_;
};

}  // namespace tern::http
