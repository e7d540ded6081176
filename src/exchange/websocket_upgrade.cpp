// The upgrade of a connection to a WebSocket.
#include "exchange/connection.hpp"
#include "exchange/http_exchange.hpp"
#include "exchange/loop_context.hpp"
#include "http/unavailable.hpp"
#include "websocket/handshake.hpp"
#include "websockets/handshake_rules.hpp"
#include "websockets/hub.hpp"
#include "websockets/session.hpp"
#include "websockets/transport.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

namespace tern::exchange {
namespace {

// The protocol of the connection after the upgrade.
class WebSocketProtocol final : public Protocol, public websockets::WebSocketTransport {
public:
  explicit WebSocketProtocol(Connection& connection) noexcept : connection_(connection) {}
  void carry(websockets::WebSocketSession& session) noexcept { session_ = &session; }

  std::size_t on_bytes(std::span<const char> bytes) override { return session_->on_bytes(bytes); }
  bool on_direct_receive() override { return session_->on_direct_receive(); }
  void on_end() override { session_->on_end(); }
  void on_sent() override { session_->on_sent(); }
  void on_closed(std::error_code) override { session_->on_closed(); }
  void drain() override { session_->drain(); }
  // The session's pings detect a dead peer.
  std::optional<Milliseconds> patience() const override {
    return finished_ ? std::nullopt : std::optional(Milliseconds(0));
  }

  void send(net::Output& output) override {
    handed_over_ += output.size();
    connection_.stream().send(output);
    connection_.flush();
  }
  std::size_t unsent() const noexcept override { return connection_.stream().unsent(); }
  bool waits() const noexcept override { return unsent() != 0; }
  void push() override {}
  void pause() noexcept override { connection_.stream().pause(); }
  void resume() override { connection_.stream().resume(); }
  bool paused() const noexcept override { return connection_.stream().paused(); }
  void allow_direct_receive(bool takes) noexcept override { connection_.stream().allow_direct_receive(takes); }
  void expect_large(bool large) noexcept override { connection_.stream().expect_large(large); }
  std::size_t receive_into(std::span<char> to) override { return connection_.stream().receive_into(to); }
  std::size_t arriving() const noexcept override { return connection_.stream().waiting(); }
  // Its pongs are unread because of a slow handler. A peer that does not read queued output is not excused.
  bool excuses_silence() override { return paused() && unsent() == 0; }
  bool progresses() override {
    const auto left = static_cast<std::uint64_t>(connection_.stream().undelivered());
    const std::uint64_t taken = handed_over_ - std::min(handed_over_, left);
    return std::exchange(taken_, taken) < taken && unsent() != 0;
  }
  void finish() override {
    finished_ = true;
    connection_.finish();
  }
  void abort() override { connection_.abort(); }

private:
  Connection& connection_;
  websockets::WebSocketSession* session_ = nullptr;
  std::uint64_t handed_over_ = 0;  // bytes, in total
  std::uint64_t taken_ = 0;        // bytes of these received by the peer, at the last check
  bool finished_ = false;
};

}  // namespace

// An invalid handshake is answered like any other request. Otherwise the 101 and the first messages leave together.
void Connection::switch_protocol(Response& response) {
  HttpExchange& exchange = *exchange_;
  base::Box<http::SocketUpgrade> upgrade = response.take_upgrade();
  Fields fields;
  auto agreed = websocket::negotiate(exchange.request(), websockets::rules_of(*upgrade->options), fields);
  if (agreed && (protocol_.has_body() || !protocol_.content_complete() || !protocol_.upgrade_requested())) {
    agreed = std::unexpected(Problem{Status::BadRequest, "a handshake has no content", {}, {}});
  }
  if (context_.draining()) agreed = std::unexpected(http::unavailable("the server stops"));
  if (!agreed) {
    upgrade.reset();
    Response refusal = exchange.refuse_instead(agreed.error());
    return respond(refusal);
  }
  for (const Field& field : response.fields()) fields.add(field.name, field.value);
  http1::ResponseHead head = head_of(response);
  head.fields = &fields;
  head.close = false;
  head.upgrade = "websocket";
  std::string& out = begin_writing().text();
  protocol_.respond(out, head);
  protocol_.finish(out);
  exchange.defer(response);
  clear_deadline();
  served_ = true;
  exchange_ = nullptr;
  exchange.complete(response.status(), 0);
  HeldExchange held(&exchange, {&context_});
  HttpExchange* const kept = upgrade->keeps_request ? &exchange : nullptr;
  auto protocol = std::make_unique<WebSocketProtocol>(*this);
  auto* session =
      new websockets::WebSocketSession(context_.sockets(), *protocol, std::move(upgrade), agreed->deflate, kept);
  if (kept != nullptr) static_cast<void>(held.release());  // the session owns it now
  protocol->carry(*session);
  become(std::move(protocol), Spoken::WebSocket);
  held.reset();
  flush();
  session->start(std::move(agreed->protocol));
}

}  // namespace tern::exchange
