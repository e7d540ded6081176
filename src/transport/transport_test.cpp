// Plain connections, with and without a header of the PROXY protocol.
#include "transport/transport_testing.hpp"

namespace tern::transport {
namespace {

using Calls = std::vector<std::string>;

TEST_F(TransportTest, a_plain_connection_has_no_session) {
  open({});
  peer->send("hello");
  turn();
  EXPECT_EQ(handler.received, "hello");
  send("and back");
  EXPECT_EQ(peer->receive(), "and back");
  EXPECT_FALSE(transport.is_secure());
  EXPECT_EQ(transport.session(), nullptr);
  EXPECT_EQ(handler.calls, Calls{});
}

TEST_F(TransportTest, the_header_of_a_proxy_is_consumed_and_gives_the_address) {
  open({.tls = nullptr, .proxied = true});
  peer->send("PROXY TCP4 192.0.2.7 10.0.0.1 4711 80\r\nGET /");
  turn();
  EXPECT_EQ(handler.received, "GET /");
  EXPECT_EQ(transport.remote().to_string(), "192.0.2.7:4711");
}

TEST_F(TransportTest, the_header_of_a_proxy_may_come_byte_by_byte) {
  open({.tls = nullptr, .proxied = true});
  for (const char byte : std::string_view("PROXY TCP6 2001:db8::1 ::1 1 2\r\nx")) {
    peer->send({&byte, 1});
    turn(2);
  }
  EXPECT_EQ(handler.received, "x");
  EXPECT_EQ(transport.remote().to_string(), "[2001:db8::1]:1");
}

TEST_F(TransportTest, a_connection_without_the_expected_header_is_reset) {
  open({.tls = nullptr, .proxied = true});
  peer->send("GET / HTTP/1.1\r\n\r\n");
  turn();
  EXPECT_EQ(handler.received, "");
  EXPECT_EQ(handler.calls, Calls{"closed"});
}

TEST_F(TransportTest, what_a_peer_does_not_read_waits_and_is_counted) {
  open({});
  const std::string large(4 * 1024 * 1024, 'x');
  send(large);
  EXPECT_GT(transport.unsent(), 0U);
  EXPECT_GE(transport.held(), transport.unsent());
  std::size_t received = 0;
  for (int i = 0; i < 1000 && received < large.size(); ++i) {
    received += peer->receive().size();
    turn(1);
  }
  EXPECT_EQ(received, large.size());
  EXPECT_EQ(transport.held(), 0U);
  EXPECT_EQ(handler.calls, Calls{"sent"});
}

}  // namespace
}  // namespace tern::transport
