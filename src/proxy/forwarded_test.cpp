#include "proxy/forwarded.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace tern::proxy {
namespace {

const std::vector<net::Network> trusted = {*net::Network::parse("10.0.0.0/8"), *net::Network::parse("2001:db8::/32"),
                                           *net::Network::parse("unix")};

// "address scheme", with the port where there is one.
std::string origin(ForwardedBy field, std::initializer_list<Field> sent, std::string_view peer = "10.0.0.1") {
  RequestFields fields;
  for (const Field& one : sent) fields.add(one.name, one.value);
  const net::Address address = peer == "unix" ? net::Address::unix_socket() : *net::Address::parse(peer, 0);
  const Origin found = origin_of(fields, address, "http", trusted, field);
  const std::string port = found.address.port() != 0 ? ":" + std::to_string(found.address.port()) : "";
  return found.address.host() + port + ' ' + std::string(found.scheme);
}
std::string by_x(std::initializer_list<Field> sent, std::string_view peer = "10.0.0.1") {
  return origin(ForwardedBy::XForwarded, sent, peer);
}
std::string by_forwarded(std::initializer_list<Field> sent, std::string_view peer = "10.0.0.1") {
  return origin(ForwardedBy::Forwarded, sent, peer);
}

TEST(Forwarded, only_trusted_proxies_are_believed) {
  EXPECT_EQ(by_x({{"X-Forwarded-For", "203.0.113.9"}, {"X-Forwarded-Proto", "https"}}, "192.0.2.1"), "192.0.2.1 http");
  EXPECT_EQ(by_forwarded({{"Forwarded", "for=203.0.113.9;proto=https"}}, "192.0.2.1"), "192.0.2.1 http");
}

TEST(Forwarded, says_whether_the_peer_is_trusted) {
  const auto is_trusted = [](std::string_view peer) {
    RequestFields fields;
    fields.add("X-Forwarded-For", "10.0.0.7");
    return origin_of(fields, *net::Address::parse(peer, 0), "http", trusted, ForwardedBy::XForwarded).peer_is_trusted;
  };
  EXPECT_TRUE(is_trusted("10.0.0.1"));
  EXPECT_FALSE(is_trusted("192.0.2.1"));
}

TEST(Forwarded, one_trusted_proxy) {
  EXPECT_EQ(by_x({{"X-Forwarded-For", "203.0.113.9"}, {"X-Forwarded-Proto", "https"}}), "203.0.113.9 https");
  EXPECT_EQ(by_forwarded({{"Forwarded", "for=203.0.113.9;proto=https;by=10.0.0.1"}}), "203.0.113.9 https");
  EXPECT_EQ(by_forwarded({{"Forwarded", "for=203.0.113.9"}}, "unix"), "203.0.113.9 http");
  EXPECT_EQ(by_x({}), "10.0.0.1 http");
  EXPECT_EQ(by_x({{"X-Forwarded-Proto", "https"}}), "10.0.0.1 https");
}

TEST(Forwarded, what_clients_wrote_themselves_is_not_reached) {
  EXPECT_EQ(by_x({{"X-Forwarded-For", "1.2.3.4, 203.0.113.9"}, {"X-Forwarded-Proto", "https, http"}}),
            "203.0.113.9 http");
  EXPECT_EQ(by_x({{"X-Forwarded-For", "1.2.3.4"}, {"X-Forwarded-For", "203.0.113.9"}}), "203.0.113.9 http");
  EXPECT_EQ(by_forwarded({{"Forwarded", "for=1.2.3.4;proto=https, for=203.0.113.9"}}), "203.0.113.9 http");
  EXPECT_EQ(by_forwarded({{"Forwarded", "for=\"1.2.3.4, for=5.6.7.8"}, {"Forwarded", "for=203.0.113.9"}}),
            "203.0.113.9 http");
}

TEST(Forwarded, through_several_trusted_proxies) {
  EXPECT_EQ(by_x({{"X-Forwarded-For", "1.2.3.4, 203.0.113.9, 10.1.1.1, 2001:db8::7"}}), "203.0.113.9 http");
  EXPECT_EQ(by_x({{"X-Forwarded-For", "203.0.113.9, 10.1.1.1"}, {"X-Forwarded-Proto", "https, http"}}),
            "203.0.113.9 https");
  EXPECT_EQ(by_forwarded({{"Forwarded", "for=203.0.113.9;proto=https, for=10.1.1.1;proto=http"}}), "203.0.113.9 https");
  EXPECT_EQ(by_x({{"X-Forwarded-For", "10.2.2.2, 10.1.1.1"}}), "10.2.2.2 http");
}

TEST(Forwarded, every_form_of_an_address) {
  EXPECT_EQ(by_x({{"X-Forwarded-For", "203.0.113.9:4711"}}), "203.0.113.9:4711 http");
  EXPECT_EQ(by_x({{"X-Forwarded-For", "2001:db9::1"}}), "2001:db9::1 http");
  EXPECT_EQ(by_x({{"X-Forwarded-For", "[2001:db9::1]:4711"}}), "2001:db9::1:4711 http");
  EXPECT_EQ(by_forwarded({{"Forwarded", "For=\"[2001:db9::1]:4711\" ; Proto=HTTPS"}}), "2001:db9::1:4711 https");
  EXPECT_EQ(by_forwarded({{"Forwarded", "for=\"[2001:db9::1]\""}}), "2001:db9::1 http");
}

TEST(Forwarded, what_is_hidden_or_malformed_ends_the_way) {
  for (const std::string_view node : {"unknown", "_hidden", "", "localhost", "1.2.3", "1.2.3.4:x", "1.2.3.4:70000",
                                      "[::1", "[1.2.3.4]", ":", "]:1", "::1:", "\"", "for"}) {
    EXPECT_EQ(by_x({{"X-Forwarded-For", "203.0.113.9"}, {"X-Forwarded-For", node}}), "10.0.0.1 http") << node;
    const std::string element = "for=" + std::string(node);
    EXPECT_EQ(by_forwarded({{"Forwarded", "for=203.0.113.9"}, {"Forwarded", element}}), "10.0.0.1 http") << node;
  }
  EXPECT_EQ(by_x({{"X-Forwarded-For", "203.0.113.9"}, {"X-Forwarded-Proto", "gopher"}}), "203.0.113.9 http");
  EXPECT_EQ(by_forwarded({{"Forwarded", ";;=;for;proto=https"}}), "10.0.0.1 https");
}

}  // namespace
}  // namespace tern::proxy
