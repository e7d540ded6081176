// HTTPS where the kernel seals what is sent, if it does: every test here holds in either case, and says which it was.
// script/try-kernel-tls runs them under a kernel that does.
#include "net/kernel_tls.hpp"
#include "server/desk.hpp"
#include "server/secure_peer.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace tern::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

bool kernel_seals() {
  static const bool offered = net::why_no_kernel_tls().empty();
  return offered;
}

// How many connections the kernel has been asked to seal for, since it has been there.
long sealed_so_far() {
  std::ifstream statistics("/proc/net/tls_stat");
  std::string name;
  for (long count = 0; statistics >> name >> count;) {
    if (name == "TlsTxSw") return count;
  }
  return 0;
}

class KernelSealed : public ::testing::TestWithParam<int> {
protected:
  KernelSealed() {
    desk.app.get("/sealer", [](Request& request) {
      return request.tls() != nullptr && request.tls()->kernel ? "kernel" : "OpenSSL";
    });
  }

  server::Listening secure(net::ListenOptions address) {
    tls::Config config = test_certificate();
    config.kernel = kernel;
    return {.address = std::move(address), .tls = config};
  }
  Running& running() {
    if (!running_) {
      const std::vector places = {secure({.host = "127.0.0.1", .port = 0}), secure({.path = files.path("socket")})};
      running_.emplace(desk.service(), server::Settings{}, 1, silent(), places);
    }
    return *running_;
  }
  std::uint16_t port() { return running().port(); }
  tls::ClientOptions options() { return {.version = GetParam()}; }
  bool all_gone() {
    return running().eventually([this] { return running().worker().loop().streams() == 0; });
  }
  static std::string content_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

  Desk desk;
  tls::TemporaryDirectory files;
  bool kernel = true;

private:
  std::optional<Running> running_;
};

INSTANTIATE_TEST_SUITE_P(versions, KernelSealed, ::testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& version) { return version.param == TLS1_2_VERSION ? "tls12" : "tls13"; });

TEST_P(KernelSealed, requests_know_who_seals) {
  const long before = sealed_so_far();
  SecurePeer peer(port(), options());
  ASSERT_TRUE(peer.shake_hands());
  EXPECT_THAT(peer.ask("/sealer"), EndsWith(kernel_seals() ? "kernel" : "OpenSSL"));
  EXPECT_TRUE(peer.client.ended());
  EXPECT_EQ(sealed_so_far() - before, kernel_seals() ? 1 : 0);
  peer.peer.close();
  EXPECT_TRUE(all_gone());
}

TEST_P(KernelSealed, only_who_asks_for_it_has_it) {
  kernel = false;
  const long before = sealed_so_far();
  SecurePeer peer(port(), options());
  ASSERT_TRUE(peer.shake_hands());
  EXPECT_THAT(peer.ask("/sealer"), EndsWith("OpenSSL"));
  EXPECT_EQ(sealed_so_far(), before);
}

TEST_P(KernelSealed, all_ciphers_are_understood) {
  for (const char* cipher : {"ECDHE+AES128", "ECDHE+AES256", "ECDHE+CHACHA20"}) {
    SecurePeer peer(port(), {.version = GetParam(), .ciphers = cipher});
    ASSERT_TRUE(peer.shake_hands());
    EXPECT_THAT(peer.ask("/user/somebody"), EndsWith("somebody")) << cipher;
    EXPECT_TRUE(peer.client.ended());
  }
}

TEST_P(KernelSealed, contents_of_all_sizes_arrive) {
  for (const std::size_t size : {1U, 16U * 1024, 16U * 1024 + 1, 10'000'000U}) {
    SecurePeer peer(port(), options());
    ASSERT_TRUE(peer.shake_hands());
    EXPECT_TRUE(content_of(peer.ask("/large/" + std::to_string(size))) == pattern(size)) << size;
    EXPECT_TRUE(peer.client.ended()) << size;
  }
}

TEST_P(KernelSealed, contents_go_both_ways) {
  const std::string content = pattern(9'000'000);
  SecurePeer peer(port(), options());
  ASSERT_TRUE(peer.shake_hands());
  peer.send("POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 9000000\r\n\r\n" + content);
  EXPECT_TRUE(content_of(peer.rest()) == content);
}

TEST_P(KernelSealed, a_connection_goes_on) {
  SecurePeer peer(port(), options());
  ASSERT_TRUE(peer.shake_hands());
  for (int i = 0; i < 100; ++i) {
    peer.send("GET /user/" + std::to_string(i) + ". HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_THAT(peer.until("."), EndsWith("\r\n\r\n" + std::to_string(i) + "."));
  }
}

TEST_P(KernelSealed, a_session_is_resumed) {
  SecurePeer first(port(), options());
  first.expect_tickets(1);
  ASSERT_TRUE(first.shake_hands());
  SecurePeer next(port(), {.version = GetParam(), .resumes = first.client.session()});
  ASSERT_TRUE(next.shake_hands());
  EXPECT_EQ(SSL_session_reused(next.client.ssl()), 1);
  EXPECT_THAT(next.ask("/sealer"), EndsWith(kernel_seals() ? "kernel" : "OpenSSL"));
}

TEST_P(KernelSealed, slow_readers_get_everything) {
  SecurePeer peer(port(), options(), 8 * 1024);
  ASSERT_TRUE(peer.shake_hands());
  peer.send("GET /large/20000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  std::string answer;
  for (int i = 0; i < 300 && peer.receive(4 * 1024); ++i) answer += peer.client.take_received();
  SecurePeer other(port(), options());
  ASSERT_TRUE(other.shake_hands());
  EXPECT_THAT(other.ask("/hello"), EndsWith("Hello, World!"));
  answer += peer.rest();
  EXPECT_TRUE(content_of(answer) == pattern(20'000'000));
  EXPECT_TRUE(peer.client.ended());
}

TEST_P(KernelSealed, a_client_that_has_ended_gets_everything) {
  SecurePeer peer(port(), options(), 8 * 1024);
  ASSERT_TRUE(peer.shake_hands());
  peer.send("GET /late-large/5000000 HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(desk.gate.await());
  peer.client.close();
  peer.peer.send(peer.client.output());
  peer.peer.shutdown_write();
  desk.gate.open();
  while (peer.receive()) {
  }
  EXPECT_TRUE(content_of(peer.client.received()) == pattern(5'000'000));
  peer.peer.close();
  EXPECT_TRUE(all_gone());
}

TEST_P(KernelSealed, a_drain_says_goodbye_behind_the_answer) {
  SecurePeer idle(port(), options());
  SecurePeer busy(port(), options());
  ASSERT_TRUE(idle.shake_hands());
  ASSERT_TRUE(busy.shake_hands());
  idle.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(idle.until("World!"), HasSubstr("200 OK"));
  busy.send("GET /late-large/5000000 HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(desk.gate.await());
  running().drain();
  EXPECT_EQ(idle.rest(), "");
  EXPECT_TRUE(idle.client.ended());
  desk.gate.open();
  EXPECT_TRUE(content_of(busy.rest()) == pattern(5'000'000));
  EXPECT_TRUE(busy.client.ended());
  idle.peer.close();
  busy.peer.close();
  running().wait();
}

TEST_P(KernelSealed, a_fault_is_told_by_an_alert) {
  SecurePeer peer(port(), options());
  ASSERT_TRUE(peer.shake_hands());
  peer.peer.send(std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x'));
  EXPECT_EQ(peer.rest(), "");
  EXPECT_TRUE(peer.client.failed());
  peer.peer.close();
  EXPECT_TRUE(all_gone());
}

TEST_P(KernelSealed, a_Unix_socket_goes_without) {
  port();
  SecurePeer peer(net::Peer::connect(files.path("socket")), options());
  ASSERT_TRUE(peer.shake_hands());
  EXPECT_THAT(peer.ask("/sealer"), EndsWith("OpenSSL"));
}

class KernelSealedKeys : public KernelSealed {};
INSTANTIATE_TEST_SUITE_P(versions, KernelSealedKeys, ::testing::Values(TLS1_3_VERSION),
                         [](const auto&) { return "tls13"; });

TEST_P(KernelSealedKeys, the_clients_may_change) {
  SecurePeer peer(port(), options());
  ASSERT_TRUE(peer.shake_hands());
  for (int i = 0; i < 3; ++i) {
    SSL_key_update(peer.client.ssl(), SSL_KEY_UPDATE_NOT_REQUESTED);
    peer.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_THAT(peer.until("World!"), HasSubstr("200 OK"));
  }
}

TEST_P(KernelSealedKeys, who_asks_for_ours_is_answered_or_dismissed_in_good_order) {
  SecurePeer peer(port(), options());
  ASSERT_TRUE(peer.shake_hands());
  peer.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(peer.until("World!"), HasSubstr("200 OK"));
  SSL_key_update(peer.client.ssl(), SSL_KEY_UPDATE_REQUESTED);
  peer.send("GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(peer.rest(), kernel_seals() ? ::testing::Matcher<std::string>("") : EndsWith("World!"));
  EXPECT_TRUE(peer.client.ended());
  EXPECT_FALSE(peer.client.failed());
  peer.peer.close();
  EXPECT_TRUE(all_gone());
}

}  // namespace
}  // namespace tern::testing
