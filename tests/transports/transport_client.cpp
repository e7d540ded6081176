#include "transports/transport_client.hpp"

#include "net/address.hpp"

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <cerrno>

namespace tern::testing {

std::vector<Transport> transports() {
  std::vector<Transport> all = {Transport::Http1};
  if (has_tls()) all.push_back(Transport::Https1);
  if (has_http2_client_protocol()) all.push_back(Transport::H2c);
  if (has_tls() && has_http2_client_protocol()) all.push_back(Transport::H2);
  return all;
}

TransportClient::TransportClient(Transport transport, std::uint16_t port, int receive_buffer)
    : peer_(net::Peer::connect(*net::Address::parse("127.0.0.1", port), receive_buffer)) {
  EXPECT_TRUE(peer_) << "cannot connect";
  const int on = 1;
  ::setsockopt(peer_.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (is_secure(transport)) secure_.emplace(is_http2(transport) ? "h2" : "http/1.1");
  protocol_ =
      is_http2(transport) ? http2_client_protocol(is_secure(transport) ? "https" : "http") : http1_client_protocol();
}

void TransportClient::ask(const ClientRequest& request) {
  response_ = {};
  protocol_->ask(request);
  flush();
}

void TransportClient::send(std::string_view content, bool end) {
  protocol_->send_content(content, end);
  flush();
}

void TransportClient::end_with(const FieldPairs& trailers) {
  protocol_->trailers(trailers);
  flush();
}

// Sends pending output. The handshake runs with the first of it: connecting alone does not wait.
void TransportClient::flush() {
  if (side_ended_) return;
  if (secure_ && !handshake_done_) {
    handshake_done_ = true;
    if (!secure_->shake_hands(peer_)) ended_ = broken_ = true;
  }
  const std::string plain = protocol_->output();
  if (secure_) {
    waiting_ += secure_->encrypt(plain);
  } else {
    waiting_ += plain;
  }
  push();
}

void TransportClient::push() {
  if (waiting_.empty() || ended_) return;
  const std::string_view rest = std::string_view(waiting_).substr(sent_);
  const ssize_t sent = ::send(peer_.number(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) sent_ += static_cast<std::size_t>(sent);
  const bool lost = sent < 0 && errno != EAGAIN;  // the server does not read any more; its response may still be read
  if (!lost && sent_ != waiting_.size()) return;
  waiting_.clear();
  sent_ = 0;
}

// The next plain bytes; none at the end.
std::string TransportClient::receive_some() {
  if (secure_ && secure_->has_received()) return secure_->open({});
  while (!ended_) {
    const short wanted = static_cast<short>(waiting_.empty() ? POLLIN : POLLIN | POLLOUT);
    pollfd ready{.fd = peer_.number(), .events = wanted, .revents = 0};
    if (::poll(&ready, 1, net::Peer::patience) != 1) {
      ADD_FAILURE() << "nothing arrives";
      ended_ = broken_ = true;
      break;
    }
    if ((ready.revents & POLLOUT) != 0) push();
    if ((ready.revents & ~POLLOUT) == 0) continue;
    std::string bytes = peer_.receive_some();
    ended_ = bytes.empty();
    if (ended_) broken_ = peer_.error() != 0 || (secure_ && !secure_->ended());
    if (secure_) bytes = secure_->open(bytes);
    if (!bytes.empty()) return bytes;
  }
  return {};
}

bool TransportClient::receive() {
  if (response_.over()) return false;
  if (!handshake_done_ && secure_) flush();
  const std::string bytes = receive_some();
  if (!bytes.empty()) {
    protocol_->take(bytes, response_);
  } else {
    protocol_->ended(response_);
  }
  flush();
  return true;
}

void TransportClient::take_ready() {
  push();
  while (readable_within(0) && receive()) {
  }
}

const ClientResponse& TransportClient::answer() {
  while (receive()) {
  }
  return response_;
}

bool TransportClient::readable_within(int milliseconds) {
  if (secure_ && secure_->has_received()) return true;
  pollfd ready{.fd = peer_.number(), .events = POLLIN, .revents = 0};
  return ended_ || ::poll(&ready, 1, milliseconds) == 1;
}

void TransportClient::cancel() {
  if (!protocol_->cancel()) return reset();
  flush();
}

void TransportClient::end_side() {
  flush();
  side_ended_ = true;
  if (secure_) secure_->close(peer_);
  peer_.shutdown_write();
}

bool TransportClient::ends() {
  await_end();
  return !broken_ && protocol_->closed_gracefully();
}

void TransportClient::await_end() {
  if (!handshake_done_ && secure_) flush();
  while (!ended_) {
    const std::string bytes = receive_some();
    if (!bytes.empty()) protocol_->take(bytes, response_);
    flush();
  }
}

}  // namespace tern::testing
