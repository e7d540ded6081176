// The server's side of a WebSocket of the test client: what WebSocketSession is on a connection, without bytes.
#pragma once

#include "http/socket.hpp"
#include "tern/test_loop.hpp"
#include "websockets/topics.hpp"

#include <tern/base/box.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/http/bus.hpp>
#include <tern/http/memory_exchange.hpp>
#include <tern/http/websocket.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tern::testing {

class TestSocket;

// What the WebSockets of one test client share.
class TestSockets {
public:
  explicit TestSockets(TestLoop& loop)
      : loop_(loop), mailbox_(std::make_shared<http::SocketMailbox>(static_cast<Executor&>(loop))) {}
  TestSockets(const TestSockets&) = delete;
  TestSockets& operator=(const TestSockets&) = delete;
  ~TestSockets() { mailbox_->close(); }

  TestLoop& loop() noexcept { return loop_; }
  const std::shared_ptr<http::SocketMailbox>& mailbox() const noexcept { return mailbox_; }
  websockets::Topics& topics() noexcept { return topics_; }
  void publish(const Publication& publication, const TestSocket* except);

private:
  TestLoop& loop_;
  std::shared_ptr<http::SocketMailbox> mailbox_;
  websockets::Topics topics_;
};

// Everything while the loop is the thread's executor.
class TestSocket final : public websockets::Subscriber, private http::Socket {
public:
  // `exchange` is that of the handshake.
  TestSocket(TestSockets& sockets, base::Box<http::SocketUpgrade> upgrade, std::unique_ptr<MemoryExchange> exchange);
  // The client goes without a word, if the WebSocket is open.
  ~TestSocket();

  void start(std::string protocol);

  // --- The client's side ---

  void receive(Message message);
  void end(std::uint16_t code, std::string_view reason);
  std::optional<Message> next_sent();
  bool is_open() const noexcept { return !ended_; }
  std::uint16_t close_code() const noexcept { return close_code_; }
  const std::string& close_reason() const noexcept { return close_reason_; }
  std::string_view protocol() const noexcept { return socket_.protocol(); }
  TestLoop& loop() noexcept { return sockets_.loop(); }

  void deliver(const Publication& publication) { send(publication.content, publication.is_text); }

private:
  SendStatus send(std::string_view content, bool is_text) override;
  bool waits_when_full() const noexcept override { return false; }
  void close(std::uint16_t code, std::string_view reason) override;
  std::size_t queued() const noexcept override { return 0; }
  std::size_t max_queued() const noexcept override { return options_.max_queued; }
  void subscribe(const http::TopicFilter& filter) override;
  void unsubscribe(const http::TopicFilter& filter) override;
  void publish(const Publication& publication) override;
  void on_message_taken() override {}

  void task_ended();
  template <class F>
  void guarded(F call);

  TestSockets& sockets_;
  std::unique_ptr<MemoryExchange> exchange_;
  const WebSocketOptions& options_;
  WebSocket socket_;
  base::Box<http::SocketHandler> handler_;  // or
  Task<> task_;
  StopState stop_;
  std::deque<Message> sent_;
  std::uint16_t close_code_ = 0;
  std::string close_reason_;
  bool ended_ = false;
};

}  // namespace tern::testing
