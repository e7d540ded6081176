// What a server has of a WebSocket, and the link by which handles reach it.
//
// A link lives as long as there are handles, or the server's side. It is shared by threads: everything but what is said
// to be of the loop may be called by all of them. The mailbox is one for each loop, and outlives it: from its close()
// on, what is posted is dropped.
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

  // Dropped where there is no room; the policy was looked at.
  virtual SendStatus send(std::string_view content, bool is_text) = 0;
  virtual bool waits_when_full() const noexcept = 0;
  virtual void close(std::uint16_t code, std::string_view reason) = 0;
  virtual std::size_t queued() const noexcept = 0;
  virtual std::size_t max_queued() const noexcept = 0;
  virtual void subscribe(const TopicFilter& filter) = 0;
  virtual void unsubscribe(const TopicFilter& filter) = 0;
  virtual void publish(const Publication& publication) = 0;
  // One of the messages that were kept has been taken.
  virtual void took_message() = 0;

protected:
  Socket() = default;
  ~Socket() = default;
};

class SocketMailbox {
public:
  explicit SocketMailbox(Executor& executor) noexcept : executor_(&executor) {}

  // From any thread, and waits for nobody. False, and the work is dropped, when the loop is gone.
  bool post(base::Function<void()> work);
  // Before the executor goes: from then on, nothing is posted there.
  void close() noexcept { gate_.close(); }
  bool is_current() const noexcept { return Executor::current() == executor_; }

private:
  Executor* const executor_;
  base::Gate gate_;  // before the executor
};

class SocketLink {
public:
  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // --- The server's side, on the loop ---

  void open(Socket& socket, std::shared_ptr<SocketMailbox> mailbox, std::string protocol);
  // Nothing can be sent any more: who waits for a message gets none, who waits for room is told.
  void close(std::uint16_t code) noexcept;
  // The socket is gone.
  void detach() noexcept { socket_ = nullptr; }
  // Whether a coroutine waits for a message.
  bool wanted() const noexcept { return receiver_ != nullptr; }
  // Gives it to the one who waits, who goes on before this returns.
  void deliver(Message message);
  // Keeps it until somebody asks.
  void keep(Message message);
  std::size_t kept() const noexcept { return kept_.size(); }
  std::size_t kept_bytes() const noexcept { return kept_bytes_; }
  Event& room() noexcept { return room_; }

  // --- Handles ---

  bool is_open() const noexcept { return state_.load(std::memory_order_acquire) == State::Open; }
  // On the loop, and open or closing: the socket. Null elsewhere.
  Socket* here() const noexcept;
  SocketMailbox* mailbox() const noexcept;
  std::string_view protocol() const noexcept;
  std::uint16_t close_code() const noexcept { return close_code_.load(std::memory_order_relaxed); }
  // Counts what is under way from other threads; false when that is too much.
  bool add_posted(std::size_t bytes) noexcept;
  void take_posted(std::size_t bytes) noexcept { posted_.fetch_sub(bytes, std::memory_order_relaxed); }

private:
  friend class ReceiveWait;
  enum class State : std::uint8_t { New, Open, Closed };

  // False when nothing will come, or something is there: then `wait` has it.
  bool enter(ReceiveWait& wait);
  void leave(ReceiveWait& wait) noexcept;

  std::atomic<std::uint32_t> references_ = 1;
  std::atomic<State> state_ = State::New;
  std::atomic<bool> bound_ = false;  // mailbox_ and protocol_ are there, and do not change any more
  std::atomic<std::uint16_t> close_code_ = 0;
  std::atomic<std::size_t> posted_ = 0;
  std::size_t max_posted_ = 0;
  std::shared_ptr<SocketMailbox> mailbox_;
  std::string protocol_;
  Socket* socket_ = nullptr;  // from here on: of the loop
  ReceiveWait* receiver_ = nullptr;
  std::vector<Message> kept_;  // a few
  std::size_t kept_bytes_ = 0;
  Event room_;
};

}  // namespace tern::http
