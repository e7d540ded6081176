// WebSockets of the test client.
#include <tern/testing.hpp>

#include "app/core.hpp"
#include "tern/exchanged.hpp"
#include "tern/test_socket.hpp"
#include "websocket/handshake.hpp"
#include "websockets/handshake_rules.hpp"

#include <tern/base/utf8.hpp>

#include <stdexcept>
#include <utility>

namespace tern::testing {

TestWebSocket::TestWebSocket(TestResponse answer, base::Box<TestSocket> socket)
    : answer_(std::move(answer)), socket_(std::move(socket)) {}
TestWebSocket::TestWebSocket(TestWebSocket&& other) noexcept = default;

TestWebSocket::~TestWebSocket() {
  if (!socket_) return;
  const TestLoop::Use use(socket_->loop());
  socket_.reset();
}

TestSocket& TestWebSocket::opened() const {
  if (!socket_) throw std::runtime_error("the handshake was answered with " + std::to_string(answer_.status));
  return *socket_;
}

void TestWebSocket::send(std::string_view text) {
  if (!base::is_utf8(text)) throw std::invalid_argument("a text message is UTF-8: use send_binary()");
  send_message({std::string(text), true});
}

void TestWebSocket::send_binary(std::string_view bytes) {
  send_message({std::string(bytes), false});
}

void TestWebSocket::send_message(Message message) {
  TestSocket& socket = opened();
  const TestLoop::Use use(socket.loop());
  socket.receive(std::move(message));
  socket.loop().run_ready();
}

std::optional<Message> TestWebSocket::receive() {
  TestSocket& socket = opened();
  const TestLoop::Use use(socket.loop());
  socket.loop().run_ready();
  return socket.next_sent();
}

std::string TestWebSocket::receive_text() {
  auto message = receive();
  if (!message) throw std::runtime_error("the WebSocket was sent nothing");
  if (!message->is_text) throw std::runtime_error("the WebSocket was sent a binary message");
  return std::move(message->content);
}

void TestWebSocket::close(std::uint16_t code, std::string_view reason) {
  TestSocket& socket = opened();
  const TestLoop::Use use(socket.loop());
  socket.end(code, reason);
  socket.loop().run_ready();
}

bool TestWebSocket::is_open() const noexcept {
  return socket_ && socket_->is_open();
}

std::uint16_t TestWebSocket::close_code() const {
  return opened().close_code();
}

std::string_view TestWebSocket::close_reason() const {
  return opened().close_reason();
}

std::string_view TestWebSocket::protocol() const {
  return opened().protocol();
}

// What is no handshake, or is refused, is answered as a server answers it.
void Client::agree(Exchanged& exchanged) {
  base::Box<http::SocketUpgrade> upgrade = exchanged.response.take_upgrade();
  if (!upgrade) throw std::runtime_error("a handler has answered 101 by itself");
  Fields fields;
  auto agreed = websocket::negotiate(exchanged.exchange->request(), websockets::rules_of(*upgrade->options), fields);
  if (!agreed) {
    upgrade.reset();
    exchanged.response = service_->refuse(agreed.error());
    return;
  }
  for (const Field& field : fields) exchanged.response.add(field.name, field.value);
  exchanged.subprotocol = std::move(agreed->protocol);
  exchanged.upgrade = std::move(upgrade);
}

TestWebSocket Client::websocket(std::string_view target, std::vector<std::pair<std::string, std::string>> fields) {
  const TestLoop::Use use(*loop_);
  fields.emplace_back("connection", "upgrade");
  fields.emplace_back("upgrade", "websocket");
  fields.emplace_back("sec-websocket-version", "13");
  fields.emplace_back("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
  const base::Box<Exchanged> exchanged = exchange({Method::Get, std::string(target), std::move(fields)});
  if (!exchanged->upgrade) return {finish(*exchanged), {}};
  TestResponse answer;
  answer.status = 101;
  for (const Field& field : exchanged->response.fields()) answer.fields.emplace_back(field.name, field.value);
  settle(*exchanged, answer);
  if (!sockets_) {
    sockets_ = base::make_box<TestSockets>(*loop_);
    core_->set_local_topics([sockets = sockets_.get()](const Publication& publication) {
      const TestLoop::Use loop(sockets->loop());
      sockets->publish(publication, nullptr);
    });
  }
  base::Box<TestSocket> socket(
      new TestSocket(*sockets_, std::move(exchanged->upgrade), std::move(exchanged->exchange)));
  socket->start(std::move(exchanged->subprotocol));
  loop_->run_ready();
  return {std::move(answer), std::move(socket)};
}

}  // namespace tern::testing
