#include "net/network.hpp"

#include <gtest/gtest.h>

namespace tern::net {
namespace {

bool contains(std::string_view network, std::string_view address) {
  return Network::parse(network).value().contains(Address::parse(address, 1234).value());
}

TEST(Network, contains_its_addresses_and_no_others) {
  EXPECT_TRUE(contains("10.0.0.0/8", "10.255.1.2"));
  EXPECT_FALSE(contains("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(contains("192.168.16.0/20", "192.168.31.255"));
  EXPECT_FALSE(contains("192.168.16.0/20", "192.168.32.0"));
  EXPECT_TRUE(contains("127.0.0.1", "127.0.0.1"));
  EXPECT_FALSE(contains("127.0.0.1", "127.0.0.2"));
  EXPECT_TRUE(contains("0.0.0.0/0", "203.0.113.9"));
  EXPECT_FALSE(contains("0.0.0.0/0", "::1"));
  EXPECT_TRUE(contains("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(contains("2001:db8::/33", "2001:db8:8000::1"));
  EXPECT_TRUE(contains("::1/128", "::1"));
}

TEST(Network, of_unix_sockets) {
  EXPECT_TRUE(Network::parse("unix")->contains(Address::unix_socket()));
  EXPECT_FALSE(contains("unix", "127.0.0.1"));
  EXPECT_FALSE(Network::parse("0.0.0.0/0")->contains(Address::unix_socket()));
}

TEST(Network, refuses_what_is_none) {
  for (const std::string_view text : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.1/8", "::1/129",
                                      "::1/64", "example.org", "10.0.0.0/8/8"}) {
    EXPECT_FALSE(Network::parse(text)) << text;
  }
}

}  // namespace
}  // namespace tern::net
