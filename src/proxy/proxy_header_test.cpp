#include "proxy/proxy_header.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace tern::proxy {
namespace {

using namespace std::string_literals;
using State = ProxyHeader::State;

std::string client(const std::string& bytes) {
  const ProxyHeader header = read_proxy_header(bytes);
  if (header.state == State::Incomplete) return "incomplete";
  if (header.state == State::Malformed) return "malformed";
  return (header.client ? header.client->to_string() : "not told"s) + " in " + std::to_string(header.size);
}

std::string version2(char command, char family, const std::string& rest) {
  const auto size = static_cast<unsigned>(rest.size());
  std::string header = "\r\n\r\n\0\r\nQUIT\n"s;
  header.append({command, family, static_cast<char>(size >> 8U), static_cast<char>(size & 255U)});
  return header + rest;
}
const std::string inet = "\xCB\x00\x71\x09\x0A\x00\x00\x01\x12\x67\x01\xBB"s;

TEST(ProxyHeader, version_1) {
  EXPECT_EQ(client("PROXY TCP4 203.0.113.9 10.0.0.1 4711 443\r\nGET /"), "203.0.113.9:4711 in 42");
  EXPECT_EQ(client("PROXY TCP6 2001:db8::1 2001:db8::2 4711 443\r\n"), "[2001:db8::1]:4711 in 45");
  EXPECT_EQ(client("PROXY UNKNOWN\r\n"), "not told in 15");
  EXPECT_EQ(client("PROXY UNKNOWN ff:ff 1 2 3\r\n"), "not told in 27");
}

TEST(ProxyHeader, version_2) {
  EXPECT_EQ(client(version2('\x21', '\x11', inet) + "GET /"), "203.0.113.9:4711 in 28");
  EXPECT_EQ(client(version2('\x21', '\x11', inet + "\x04\x00\x01\x00"s)), "203.0.113.9:4711 in 32")
      << "with what else there is";
  const std::string inet6 = "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01"s + std::string(16, '\1') + "\x12\x67\x01\xBB";
  EXPECT_EQ(client(version2('\x21', '\x21', inet6)), "[2001:db8::1]:4711 in 52");
  const std::string mapped =
      std::string(10, '\0') + "\xFF\xFF\xCB\x00\x71\x09"s + std::string(16, '\1') + "\x12\x67\x01\xBB";
  EXPECT_EQ(client(version2('\x21', '\x21', mapped)), "203.0.113.9:4711 in 52");
  EXPECT_EQ(client(version2('\x21', '\x31', std::string(216, 'x'))), "unix in 232");
  EXPECT_EQ(client(version2('\x20', '\0', "")), "not told in 16");
  EXPECT_EQ(client(version2('\x21', '\0', "abc")), "not told in 19");
}

TEST(ProxyHeader, every_beginning_of_one_is_incomplete) {
  for (const std::string& whole : {"PROXY TCP4 203.0.113.9 10.0.0.1 4711 443\r\n"s, version2('\x21', '\x11', inet)}) {
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_EQ(client(whole.substr(0, size)), "incomplete") << size;
  }
}

TEST(ProxyHeader, everything_else_is_malformed) {
  for (const std::string& bytes :
       {"GET / HTTP/1.1\r\n"s, "PROXX"s, "\r\n\r\nX"s, "PROXY TCP5 1.2.3.4 1.2.3.4 1 2\r\n"s, "PROXY TCP4\r\n"s,
        "PROXY TCP4 ::1 ::1 1 2\r\n"s, "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n"s, "PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n"s,
        "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n"s, "PROXY TCP4 localhost 1.2.3.4 1 2\r\n"s,
        "PROXY  TCP4 1.2.3.4 1.2.3.4 1 2\r\n"s, "PROXY UNKNOWN " + std::string(200, 'x')}) {
    EXPECT_EQ(client(bytes), "malformed") << bytes;
  }
  EXPECT_EQ(client(version2('\x11', '\x11', inet)), "malformed");
  EXPECT_EQ(client(version2('\x22', '\x11', inet)), "malformed");
  EXPECT_EQ(client(version2('\x21', '\x11', "short")), "malformed");
  EXPECT_EQ(client(version2('\x21', '\x21', inet)), "malformed");
  EXPECT_EQ(client("\r\n\r\n\0\r\nQUIT\n\x21\x11\xFF\xFF"s), "malformed");
}

}  // namespace
}  // namespace tern::proxy
