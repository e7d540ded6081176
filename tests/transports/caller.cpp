#include "transports/caller.hpp"

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
  if (has_http2_speech()) all.push_back(Transport::H2c);
  if (has_tls() && has_http2_speech()) all.push_back(Transport::H2);
  return all;
}

Caller::Caller(Transport transport, std::uint16_t port, int receive_buffer)
    : peer_(net::Peer::connect(*net::Address::parse("127.0.0.1", port), receive_buffer)) {
  EXPECT_TRUE(peer_) << "cannot connect";
  const int on = 1;
  ::setsockopt(peer_.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (is_secure(transport)) secure_.emplace(is_http2(transport) ? "h2" : "http/1.1");
  speech_ = is_http2(transport) ? http2_speech(is_secure(transport) ? "https" : "http") : http1_speech();
}

void Caller::ask(const Question& question) {
  reaction_ = {};
  speech_->ask(question);
  flush();
}

void Caller::send(std::string_view content, bool end) {
  speech_->further(content, end);
  flush();
}

void Caller::end_with(const FieldPairs& trailers) {
  speech_->trailers(trailers);
  flush();
}

// Hands over what there is to say. The handshake comes with the first of it: connecting alone waits for nobody.
void Caller::flush() {
  if (side_ended_) return;
  if (secure_ && !shaken_) {
    shaken_ = true;
    if (!secure_->shake_hands(peer_)) ended_ = broken_ = true;
  }
  const std::string plain = speech_->output();
  if (secure_) {
    waiting_ += secure_->seal(plain);
  } else {
    waiting_ += plain;
  }
  push();
}

void Caller::push() {
  if (waiting_.empty() || ended_) return;
  const std::string_view rest = std::string_view(waiting_).substr(sent_);
  const ssize_t sent = ::send(peer_.number(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) sent_ += static_cast<std::size_t>(sent);
  const bool lost = sent < 0 && errno != EAGAIN;  // nobody takes it any more; what was answered may be read yet
  if (!lost && sent_ != waiting_.size()) return;
  waiting_.clear();
  sent_ = 0;
}

// The plain bytes of what comes next; none at the end.
std::string Caller::receive_some() {
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

bool Caller::receive() {
  if (reaction_.over()) return false;
  if (!shaken_ && secure_) flush();
  const std::string bytes = receive_some();
  if (!bytes.empty()) {
    speech_->take(bytes, reaction_);
  } else {
    speech_->ended(reaction_);
  }
  flush();
  return true;
}

void Caller::take_ready() {
  push();
  while (readable_within(0) && receive()) {
  }
}

const Reaction& Caller::answer() {
  while (receive()) {
  }
  return reaction_;
}

bool Caller::readable_within(int milliseconds) {
  if (secure_ && secure_->has_received()) return true;
  pollfd ready{.fd = peer_.number(), .events = POLLIN, .revents = 0};
  return ended_ || ::poll(&ready, 1, milliseconds) == 1;
}

void Caller::cancel() {
  if (!speech_->cancel()) return reset();
  flush();
}

void Caller::end_side() {
  flush();
  side_ended_ = true;
  if (secure_) secure_->close(peer_);
  peer_.shutdown_write();
}

bool Caller::ends() {
  await_end();
  return !broken_ && speech_->told_the_end();
}

void Caller::await_end() {
  if (!shaken_ && secure_) flush();
  while (!ended_) {
    const std::string bytes = receive_some();
    if (!bytes.empty()) speech_->take(bytes, reaction_);
    flush();
  }
}

}  // namespace tern::testing
