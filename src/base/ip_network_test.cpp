#include "base/ip_network.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace tern::base {
namespace {

bool network_contains(std::string_view network, std::string_view address) {
  return IpNetwork::parse(network).value().contains(IpAddress::parse(address).value());
}

TEST(IpNetwork, an_ipv4_mapped_address_is_its_ipv4_address) {
  EXPECT_EQ(IpAddress::parse("::ffff:192.0.2.1"), IpAddress::parse("192.0.2.1"));
  EXPECT_TRUE(network_contains("192.0.2.0/24", "::ffff:192.0.2.1"));
  EXPECT_TRUE(network_contains("::ffff:192.0.2.0/120", "192.0.2.1"));
  EXPECT_FALSE(network_contains("192.0.2.0/24", "::192.0.2.1"));
}

TEST(IpNetwork, families_are_apart) {
  EXPECT_TRUE(network_contains("::/0", "2001:db8::1"));
  EXPECT_FALSE(network_contains("::/0", "192.0.2.1"));
  EXPECT_TRUE(network_contains("0.0.0.0/0", "192.0.2.1"));
  EXPECT_FALSE(network_contains("0.0.0.0/0", "2001:db8::1"));
}

TEST(IpNetwork, compares_bits_behind_whole_bytes) {
  EXPECT_TRUE(network_contains("192.168.16.0/20", "192.168.31.255"));
  EXPECT_FALSE(network_contains("192.168.16.0/20", "192.168.32.0"));
  EXPECT_TRUE(network_contains("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(network_contains("2001:db8::/33", "2001:db8:8000::1"));
}

TEST(IpNetwork, refuses_what_is_none) {
  for (const std::string_view text :
       {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/ 8", "10.0.0.1/8", "::1/129", "::1/64", "10.1",
        "example.org", "[::1]", "fe80::1%lo", "10.0.0.0/8/8", "010.0.0.1", "localhost"}) {
    EXPECT_FALSE(IpNetwork::parse(text)) << text;
  }
  EXPECT_FALSE(IpAddress::parse(std::string_view("10.0.0.1\0", 9)));
}

}  // namespace
}  // namespace tern::base
