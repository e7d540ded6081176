// TLS on a stream: the bytes of a client in memory, carried by a socket pair.
#include "tls/context.hpp"
#include "tls/session_pair.hpp"
#include "tls/test_client.hpp"
#include "transport/transport_testing.hpp"

#include <tern/base/shared_file.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

namespace tern::transport {
namespace {

using Calls = std::vector<std::string>;

class SecureStreamTest : public TransportTest {
protected:
  void SetUp() override {
    const tls::Issued issued = tls::issue({.hosts = {"localhost"}});
    const tls::Config files{.certificates = {{.certificate = folder_.write("c.pem", issued.certificate_pem()),
                                              .key = folder_.write("k.pem", issued.key_pem())}}};
    open({.tls = tls::make_context(files)});
  }

  // Carries bytes in both directions until neither side has any.
  void exchange_bytes() {
    for (int quiet = 0; quiet < 2;) {
      const std::string to_server = client.output();
      peer->send(to_server);
      turn(2);
      const std::string to_client = peer->receive();
      client.receive(to_client);
      quiet = to_server.empty() && to_client.empty() ? quiet + 1 : 0;
    }
  }
  void negotiate() {
    client.receive({});
    exchange_bytes();
    ASSERT_TRUE(client.done());
    ASSERT_EQ(handler.calls, Calls{"secured"});
    handler.calls.clear();
  }

  static base::SharedFile unnamed_file(std::string_view content) {
    const int descriptor = ::open(::testing::TempDir().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    EXPECT_EQ(::pwrite(descriptor, content.data(), content.size(), 0), static_cast<ssize_t>(content.size()));
    return base::SharedFile(descriptor);
  }

  tls::TestClient client{{.name = "localhost"}};

private:
  tls::TemporaryDirectory folder_;
};

TEST_F(SecureStreamTest, the_handler_is_called_when_the_handshake_is_over) {
  client.receive({});
  peer->send(client.output());
  turn();
  EXPECT_EQ(handler.calls, Calls{});
  EXPECT_EQ(transport.session(), nullptr);
  client.receive(peer->receive());
  peer->send(client.output());
  turn();
  EXPECT_EQ(handler.calls, Calls{"secured"});
  ASSERT_NE(transport.session(), nullptr);
  EXPECT_EQ(transport.session()->server_name(), "localhost");
}

TEST_F(SecureStreamTest, plaintext_arrives_in_both_directions) {
  negotiate();
  client.send("from the client");
  exchange_bytes();
  EXPECT_EQ(handler.received, "from the client");
  send("from the server");
  exchange_bytes();
  EXPECT_EQ(client.received(), "from the server");
}

TEST_F(SecureStreamTest, a_record_may_come_byte_by_byte) {
  negotiate();
  client.send("record");
  const std::string bytes = client.output();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(handler.received, "");
    peer->send(bytes.substr(i, 1));
    turn(2);
  }
  EXPECT_EQ(handler.received, "record");
}

TEST_F(SecureStreamTest, bytes_that_are_not_consumed_come_again_in_front_of_the_next) {
  negotiate();
  std::vector<std::string> seen;
  handler.consume = [&seen](std::string_view bytes) -> std::size_t {
    seen.emplace_back(bytes);
    return bytes.find('\n') == bytes.npos ? 0 : bytes.size();
  };
  client.send("half a ");
  exchange_bytes();
  EXPECT_TRUE(transport.has_unread());
  client.send("line\n");
  exchange_bytes();
  EXPECT_EQ(seen, (std::vector<std::string>{"half a ", "half a line\n"}));
  EXPECT_FALSE(transport.has_unread());
}

TEST_F(SecureStreamTest, a_paused_handler_gets_its_bytes_and_the_end_after_it_resumes) {
  negotiate();
  transport.pause();
  client.send("later");
  client.close();
  peer->send(client.output());
  peer->shutdown_write();
  turn();
  EXPECT_EQ(handler.received, "");
  EXPECT_EQ(std::ranges::count(handler.calls, "end"), 0);
  transport.resume();
  turn();
  EXPECT_EQ(handler.received, "later");
  EXPECT_EQ(std::ranges::count(handler.calls, "end"), 1);
}

TEST_F(SecureStreamTest, a_large_answer_is_encrypted_as_the_peer_reads_it) {
  negotiate();
  std::string large(4 * 1024 * 1024, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>('a' + i % 23);
  send(large);
  EXPECT_GT(transport.unsent(), large.size() / 2);
  EXPECT_LT(transport.held(), large.size() + 1024 * 1024);  // not once as plaintext and once encrypted
  for (int i = 0; i < 2000 && client.received().size() < large.size(); ++i) {
    client.receive(peer->receive());
    turn(1);
  }
  EXPECT_TRUE(client.received() == large);
  EXPECT_EQ(transport.unsent(), 0U);
  EXPECT_EQ(handler.calls, Calls{"sent"});
}

TEST_F(SecureStreamTest, files_are_in_order_with_other_output_and_hold_no_memory) {
  negotiate();
  std::string content(3'000'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>('a' + i % 23);
  const base::SharedFile file = unnamed_file(content);
  net::Output output;
  output.append("head ");
  output.append_file({file, 1000, 2'000'000});
  output.append(" between ");
  output.append_file({file, 0, 10});
  transport.send(output);
  send(" tail");
  EXPECT_GT(transport.unsent(), 1'000'000U);
  EXPECT_LT(transport.held(), 256U * 1024U);
  const std::string expected =
      "head " + content.substr(1000, 2'000'000) + " between " + content.substr(0, 10) + " tail";
  for (int i = 0; i < 2000 && client.received().size() < expected.size(); ++i) {
    client.receive(peer->receive());
    turn(1);
  }
  EXPECT_TRUE(client.received() == expected);
  EXPECT_EQ(transport.unsent(), 0U);
}

TEST_F(SecureStreamTest, a_file_that_has_become_shorter_ends_the_connection_without_a_close_notify) {
  negotiate();
  net::Output output;
  output.append("head ");
  output.append_file({unnamed_file("short"), 0, 100});
  transport.send(output);
  EXPECT_FALSE(transport.is_open());
  turn();
  client.receive(peer->receive());
  EXPECT_EQ(client.received(), "");
  EXPECT_FALSE(client.ended());
  EXPECT_EQ(handler.calls, Calls{"closed"});
}

TEST_F(SecureStreamTest, a_close_notify_precedes_the_end_of_the_connection) {
  negotiate();
  send("last");
  transport.shutdown_write();
  exchange_bytes();
  EXPECT_EQ(client.received(), "last");
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(peer->ended());
}

TEST_F(SecureStreamTest, plain_http_gets_an_answer_that_says_so) {
  peer->send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  turn();
  EXPECT_TRUE(peer->receive().starts_with("HTTP/1.1 400 "));
  EXPECT_EQ(handler.calls, Calls{"refused"});
  EXPECT_EQ(handler.received, "");
}

TEST_F(SecureStreamTest, bytes_that_are_no_handshake_get_an_alert) {
  peer->send(std::string("\x16\x03\x01\x00\x05hello", 10));
  turn();
  const std::string answer = peer->receive();
  ASSERT_FALSE(answer.empty());
  EXPECT_EQ(answer[0], 0x15);  // an alert
  EXPECT_EQ(handler.calls, Calls{"refused"});
}

TEST_F(SecureStreamTest, a_record_that_was_tampered_with_ends_the_connection) {
  negotiate();
  client.send("secret");
  std::string bytes = client.output();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  peer->send(bytes);
  turn();
  EXPECT_EQ(handler.received, "");
  EXPECT_EQ(std::ranges::count(handler.calls, "closed"), 1) << ::testing::PrintToString(handler.calls);
}

}  // namespace
}  // namespace tern::transport
