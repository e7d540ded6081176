#include "net/address.hpp"

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>

namespace tern::net {
namespace {

TEST(Address, reads_ipv4_and_writes_it_back) {
  const auto address = Address::parse("192.0.2.7", 8080);
  ASSERT_TRUE(address);
  EXPECT_EQ(address->family(), Address::Family::Inet);
  EXPECT_EQ(address->host(), "192.0.2.7");
  EXPECT_EQ(address->to_string(), "192.0.2.7:8080");
  EXPECT_FALSE(address->is_loopback());
}

TEST(Address, writes_ipv4_of_any_width) {
  for (const char* text : {"0.0.0.0", "255.255.255.255", "1.20.100.9", "10.0.0.100", "99.199.0.1"}) {
    const auto address = Address::parse(text, 1);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->host(), text);
  }
}

TEST(Address, reads_ipv6_with_and_without_brackets) {
  const auto address = Address::parse("2001:db8::1", 443);
  ASSERT_TRUE(address);
  EXPECT_EQ(address->to_string(), "[2001:db8::1]:443");
  EXPECT_EQ(address, Address::parse("[2001:db8::1]", 443));
}

TEST(Address, knows_loopbacks) {
  EXPECT_TRUE(Address::parse("127.0.0.1", 1)->is_loopback());
  EXPECT_TRUE(Address::parse("127.9.9.9", 1)->is_loopback());
  EXPECT_TRUE(Address::parse("::1", 1)->is_loopback());
  EXPECT_TRUE(Address::unix_socket().is_loopback());
  EXPECT_FALSE(Address::parse("::", 1)->is_loopback());
  EXPECT_FALSE(Address().is_loopback());
}

TEST(Address, takes_localhost_for_the_loopback) {
  EXPECT_EQ(Address::parse("localhost", 80), Address::parse("127.0.0.1", 80));
}

TEST(Address, refuses_what_is_no_address) {
  for (const char* text : {"", "example.org", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4 ", ":::", "[::1", "::g", "*",
                           "127.0.0.1:80", "[]", "0x7f.0.0.1"}) {
    EXPECT_FALSE(Address::parse(text, 80)) << text;
  }
  EXPECT_FALSE(Address::parse(std::string(1000, '1'), 80));
  EXPECT_FALSE(Address::parse(std::string_view("127.0.0.1\0x", 11), 80));
}

TEST(Address, goes_through_the_kernels_form) {
  for (const char* text : {"0.0.0.0", "10.1.2.3", "::", "fe80::1:2"}) {
    const auto address = Address::parse(text, 65'535);
    sockaddr_storage system;
    EXPECT_EQ(address->to(system),
              address->family() == Address::Family::Inet ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    EXPECT_EQ(Address::from(system), address);
  }
}

TEST(Address, shows_a_mapped_ipv4_peer_as_ipv4) {
  sockaddr_storage system;
  Address::parse("::ffff:192.0.2.7", 9)->to(system);
  EXPECT_EQ(Address::from(system).to_string(), "192.0.2.7:9");
}

TEST(Address, of_a_unix_peer_has_no_port) {
  EXPECT_EQ(Address::unix_socket().to_string(), "unix");
  EXPECT_EQ(Address().to_string(), "");
}

}  // namespace
}  // namespace tern::net
