// HTTPS over sockets: accepted clients, TLS data of requests, and faults of clients.
#include "server/figures.hpp"
#include "server/test_app.hpp"
#include "server/tls_peer.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tern::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Secure : public ::testing::Test {
protected:
  Secure() {
    test_app.app.get("/tls", [](Request& request) {
      const TlsFacts* facts = request.tls();
      if (facts == nullptr) return std::string(request.scheme());
      std::string text(request.scheme());
      for (const std::string_view each : {facts->version, facts->server_name, facts->client_subject}) {
        text.append(" ").append(each);
      }
      return text;
    });
    test_app.app.get("/certificate", [](Request& request) {
      const TlsFacts& facts = *request.tls();
      std::string text(facts.protocol);
      for (const std::string_view name : facts.client_names) {
        text.append(text.size() == facts.protocol.size() ? " " : ",").append(name);
      }
      return text.append(" ").append(facts.client_serial).append(" ").append(facts.client_fingerprint);
    });
    test_app.app.get("/late-tls", [this](Request& request) -> Task<std::string> {
      co_await test_app.gate.pass();
      subject = request.tls() != nullptr ? std::string(request.tls()->client_subject) : "none";
      co_return "done";
    });
  }

  transport::ListenerConfig secure() {
    config.certificates = test_certificate().certificates;
    return {.address = {.host = "127.0.0.1", .port = 0}, .tls = config};
  }
  RunningServer& running() {
    if (!running_) running_.emplace(test_app.service(), settings, loops, silent(), std::vector{secure()});
    return *running_;
  }
  std::uint16_t port() { return running().port(); }
  bool all_gone() {
    return running().eventually([this] { return running().worker().loop().streams() == 0; });
  }

  TestApp test_app;
  std::string subject;
  tls::TemporaryDirectory files;
  tls::Config config;
  exchange::Settings settings;
  unsigned loops = 1;

private:
  std::optional<RunningServer> running_;
};

TEST_F(Secure, requests_know_what_they_came_over) {
  TlsPeer peer(port(), {.name = "localhost"});
  ASSERT_TRUE(peer.shake_hands());
  const std::string answer = peer.ask("/tls");
  EXPECT_THAT(answer, EndsWith("https TLSv1.3 localhost "));
  EXPECT_TRUE(peer.client.ended());  // by a close_notify
}

TEST_F(Secure, plain_text_gets_a_400_and_is_closed) {
  for (const std::string_view request :
       {"GET /tls HTTP/1.1\r\nHost: a\r\n\r\n", "G", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}) {
    HttpClient client(port(), 0, false);
    client.send(request);
    const HttpAnswer answer = client.answer();
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.body, HasSubstr("HTTPS only"));
    EXPECT_TRUE(client.ends());
    client.peer().close();
    EXPECT_TRUE(all_gone());
  }
}

TEST_F(Secure, what_is_neither_gets_an_alert) {
  for (const std::string& bytes : {std::string("\x16\x03\x01\x00\x05hello"), std::string("\x00\x01\x02\x03\x04\x05", 6),
                                   std::string(100, '\xff'), std::string("\x15\x03\x01\x00\x02\x02\x28", 7)}) {
    HttpClient client(port(), 0, false);
    client.send(bytes);
    client.peer().shutdown_write();
    client.is_gone();
    client.peer().close();
    EXPECT_TRUE(all_gone());
  }
}

TEST_F(Secure, TLS_on_a_plain_port_is_a_bad_request) {
  RunningServer plain(test_app.service(), {}, 1, silent(), {{.address = {.host = "127.0.0.1", .port = 0}}});
  TlsPeer peer(plain.port());
  peer.peer.send(peer.client.output());
  EXPECT_THAT(peer.peer.receive_some(), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
}

TEST_F(Secure, clients_that_never_say_hello_block_no_other_and_are_closed) {
  settings.head_timeout = Milliseconds(300);
  std::vector<net::Peer> silent;
  const auto address = *net::Address::parse("127.0.0.1", port());
  for (int i = 0; i < 50; ++i) {
    silent.push_back(net::Peer::connect(address));
    if (i % 2 == 0) {
      TlsPeer half(port());
      silent.push_back(std::move(half.peer));
      silent.back().send(half.client.output().substr(0, 40));
    }
  }
  TlsPeer peer(port());
  ASSERT_TRUE(peer.shake_hands());
  EXPECT_THAT(peer.ask("/hello"), EndsWith("Hello, World!"));
  for (net::Peer& each : silent) EXPECT_EQ(each.receive_some(), "");
  EXPECT_TRUE(all_gone());
}

TEST_F(Secure, clients_show_who_they_are) {
  const tls::Issued authority = tls::issue({.common_name = "authority", .authority = true});
  config.client_ca = files.write("ca.pem", authority.certificate_pem());
  config.client = ClientCertificates::Required;
  const tls::Issued own = tls::issue({.common_name = "Anna", .hosts = {"anna.example", "anna.test"}}, &authority);
  TlsPeer anna(port(), {.own = &own});
  ASSERT_TRUE(anna.shake_hands());
  EXPECT_THAT(anna.ask("/tls"), EndsWith(" CN=Anna,O=Tern"));
  TlsPeer named(port(), {.protocols = "\x08http/1.1", .own = &own});
  ASSERT_TRUE(named.shake_hands());
  const std::string described = named.ask("/certificate");
  EXPECT_THAT(described, HasSubstr("\r\n\r\nhttp/1.1 DNS:anna.example,DNS:anna.test "));
  EXPECT_THAT(described, ::testing::MatchesRegex(".* [0-9A-F]+ [0-9a-f]{64}"));

  // One without gets the reason, although it has sent its request already.
  TlsPeer anonymous(port());
  anonymous.shake_hands();
  anonymous.send("GET /tls HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(anonymous.rest(), "");
  EXPECT_TRUE(anonymous.client.failed());
  anonymous.peer.close();
  anna.peer.close();
  EXPECT_TRUE(all_gone());
}

TEST_F(Secure, what_a_request_knows_outlives_its_client) {
  const tls::Issued authority = tls::issue({.common_name = "authority", .authority = true});
  config.client_ca = files.write("ca.pem", authority.certificate_pem());
  config.client = ClientCertificates::Optional;
  const tls::Issued own = tls::issue({.common_name = "Anna", .hosts = {"anna.example", "anna.test"}}, &authority);
  TlsPeer anna(port(), {.own = &own});
  ASSERT_TRUE(anna.shake_hands());
  anna.send("GET /late-tls HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(test_app.gate.await());
  anna.peer.reset();
  ASSERT_TRUE(all_gone());
  test_app.gate.open();
  ASSERT_TRUE(running().eventually([this] { return running().worker().context().exchanges_in_use() == 0; }));
  EXPECT_EQ(subject, "CN=Anna,O=Tern");
}

// In one piece: the end of the handshake, a request, and bytes that are not encrypted.
TEST_F(Secure, a_request_that_comes_with_the_handshake_and_a_fault_is_not_served) {
  TlsPeer peer(port());
  while (!peer.client.done()) {
    const std::string mine = peer.client.output();
    if (peer.client.done()) {
      peer.client.send("GET /tls HTTP/1.1\r\nHost: a\r\n\r\n");
      peer.peer.send(mine + peer.client.output() + std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x'));
      break;
    }
    ASSERT_TRUE(peer.peer.send(mine));
    if (!peer.receive()) break;
    if (peer.client.done()) {
      peer.client.send("GET /tls HTTP/1.1\r\nHost: a\r\n\r\n");
      peer.peer.send(peer.client.output() + std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x'));
    }
  }
  EXPECT_THAT(peer.rest(), Not(HasSubstr("200 OK")));
  EXPECT_TRUE(all_gone());
}

TEST_F(Secure, any_loop_resumes_a_session) {
  loops = 3;
  TlsPeer first(port());
  first.expect_tickets(1);
  ASSERT_TRUE(first.shake_hands());
  for (int i = 0; i < 10; ++i) {
    TlsPeer next(port(), {.resumes = first.client.session()});
    ASSERT_TRUE(next.shake_hands());
    EXPECT_EQ(SSL_session_reused(next.client.ssl()), 1);
    EXPECT_THAT(next.ask("/hello"), EndsWith("Hello, World!"));
  }
  EXPECT_EQ(Figures(running().server())["tern_tls_handshakes"], 11);
  EXPECT_EQ(Figures(running().server())["tern_tls_resumptions"], 10);
  EXPECT_EQ(Figures(running().server())["tern_tls_failures"], 0);
}

TEST_F(Secure, failed_handshakes_are_counted) {
  net::Peer peer = net::Peer::connect(*net::Address::parse("127.0.0.1", port()));
  peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(peer.receive_all(), "");
  EXPECT_EQ(Figures(running().server())["tern_tls_failures"], 1);
  EXPECT_EQ(figure_that_becomes(running().server(), "tern_connections tls_handshake active", 0), 0);
}

TEST_F(Secure, clients_may_go_at_every_byte_of_the_handshake) {
  const auto handshake = [this](std::size_t most, bool reset) {
    TlsPeer peer(port());
    std::size_t sent = 0;
    while (!peer.client.done()) {
      const std::string output = peer.client.output();
      const std::string part = output.substr(0, most - sent);
      peer.peer.send(part);
      sent += part.size();
      if (sent == most || !peer.receive()) break;
    }
    if (sent < most) peer.peer.send(peer.client.output().substr(0, most - sent));
    if (reset) peer.peer.reset();
    return peer.client.done();
  };
  for (std::size_t most = 0; most < 700; most += 11) {
    handshake(most, false);
    handshake(most, true);
  }
  EXPECT_TRUE(all_gone());
  TlsPeer peer(port());
  ASSERT_TRUE(peer.shake_hands());
  EXPECT_THAT(peer.ask("/hello"), EndsWith("Hello, World!"));
}

TEST_F(Secure, bytes_may_come_one_by_one) {
  TlsPeer peer(port());
  const auto send_bytewise = [&peer] {
    const std::string output = peer.client.output();
    for (std::size_t i = 0; i < output.size(); ++i) peer.peer.send(std::string_view(output).substr(i, 1));
  };
  while (!peer.client.done()) {
    send_bytewise();
    ASSERT_TRUE(peer.receive(1));
  }
  peer.client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\n");
  peer.client.send("hello");
  send_bytewise();
  EXPECT_THAT(peer.rest(), EndsWith("\r\n\r\nhello"));
}

TEST_F(Secure, large_contents_go_both_ways) {
  const std::string content = pattern(9'000'000);
  TlsPeer peer(port());
  ASSERT_TRUE(peer.shake_hands());
  peer.send("POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 9000000\r\n\r\n" + content);
  const std::string answer = peer.rest();
  EXPECT_EQ(answer.substr(answer.find("\r\n\r\n") + 4), content);
}

TEST_F(Secure, slow_readers_get_everything_and_what_waits_is_encrypted_bit_by_bit) {
  TlsPeer peer(port(), {}, 8 * 1024);
  ASSERT_TRUE(peer.shake_hands());
  peer.send("GET /large/20000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  std::size_t size = 0;
  for (int i = 0; i < 300 && peer.receive(4 * 1024); ++i) size += peer.client.take_received().size();
  // Another one is not kept waiting.
  TlsPeer other(port());
  ASSERT_TRUE(other.shake_hands());
  EXPECT_THAT(other.ask("/hello"), EndsWith("Hello, World!"));
  EXPECT_GT(size + peer.rest().size(), 20'000'000U);
  EXPECT_TRUE(peer.client.ended());
}

TEST_F(Secure, an_answer_follows_the_end_of_the_client_that_asked) {
  TlsPeer peer(port());
  ASSERT_TRUE(peer.shake_hands());
  peer.send("GET /late/answer HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(test_app.gate.await());
  peer.client.close();
  peer.peer.send(peer.client.output());
  test_app.gate.open();
  while (peer.receive()) {
  }
  EXPECT_THAT(peer.client.received() + peer.client.take_received(), HasSubstr("200 OK"));
  peer.peer.close();
  EXPECT_TRUE(all_gone());
}

TEST_F(Secure, who_makes_it_change_keys_and_reads_nothing_is_let_go) {
  TlsPeer peer(port(), {}, 4 * 1024);
  ASSERT_TRUE(peer.shake_hands());
  peer.send("GET /large/20000000 HTTP/1.1\r\nHost: a\r\n\r\n");
  for (int i = 0; i < 100'000; ++i) {
    SSL_key_update(peer.client.ssl(), SSL_KEY_UPDATE_REQUESTED);
    peer.client.send("x");
    if (!peer.peer.send(peer.client.output())) break;
  }
  EXPECT_TRUE(all_gone());
}

}  // namespace
}  // namespace tern::testing
