#include "load/target.hpp"
#include "load/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <stdexcept>
#include <string>

namespace tern::load {
namespace {

using ::testing::HasSubstr;

TEST(LoadTarget, has_the_parts_of_a_url) {
  const Target plain = parse_target("http://example.org:8080/books?page=2#top");
  EXPECT_FALSE(plain.tls);
  EXPECT_EQ(plain.host, "example.org");
  EXPECT_EQ(plain.port, "8080");
  EXPECT_EQ(plain.origin, "example.org:8080");
  EXPECT_EQ(plain.path, "/books?page=2");
  const Target secure = parse_target("https://[::1]");
  EXPECT_TRUE(secure.tls);
  EXPECT_EQ(secure.host, "::1");
  EXPECT_EQ(secure.port, "443");
  EXPECT_EQ(secure.origin, "[::1]");
  EXPECT_EQ(secure.path, "/");
  EXPECT_EQ(parse_target("localhost:81?a").path, "/?a");
  EXPECT_EQ(parse_target("[::1]:81").port, "81");
}

std::string refusal(const std::string& url) {
  try {
    parse_target(url);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(LoadTarget, that_is_no_url_is_refused_with_the_reason) {
  EXPECT_THAT(refusal("ftp://a/"), HasSubstr("another scheme"));
  EXPECT_THAT(refusal("http:///a"), HasSubstr("no host"));
  EXPECT_THAT(refusal("http://a:b/"), HasSubstr("no port"));
  EXPECT_THAT(refusal("http://a:0/"), HasSubstr("no port"));
  EXPECT_THAT(refusal("http://a:65536/"), HasSubstr("no port"));
  EXPECT_THAT(refusal("http://user@a/"), HasSubstr("has a user"));
  EXPECT_THAT(refusal("http://a/b c"), HasSubstr("blanks"));
  EXPECT_THAT(refusal("http://a/\r\nX: y"), HasSubstr("blanks"));
}

TEST(LoadRequest, has_host_fields_and_content) {
  EXPECT_EQ(request_text({.url = "http://a:81/b"}), "GET /b HTTP/1.1\r\nHost: a:81\r\n\r\n");
  EXPECT_EQ(request_text({.url = "a", .method = "POST", .fields = {{"host", "b"}, {"X", "1"}}, .content = "{}"}),
            "POST / HTTP/1.1\r\nhost: b\r\nX: 1\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_THROW(request_text({.url = "a", .method = "GET /"}), std::invalid_argument);
  EXPECT_THROW(request_text({.url = "a", .fields = {{"a b", "c"}}}), std::invalid_argument);
  EXPECT_THROW(request_text({.url = "a", .fields = {{"a", "b\r\nc: d"}}}), std::invalid_argument);
}

TEST(LoadTarget, of_an_unknown_host_has_no_address) {
  EXPECT_THROW(resolve(parse_target("http://nothing.invalid/")), std::runtime_error);
}

// A socket of 127.0.0.1 that may listen, and its address.
class Place {
public:
  explicit Place(bool listens) {
    auto& system = reinterpret_cast<sockaddr_in&>(address.storage);
    system.sin_family = AF_INET;
    system.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.size = sizeof system;
    auto* const generic = reinterpret_cast<sockaddr*>(&address.storage);
    EXPECT_EQ(::bind(socket_, generic, address.size), 0);
    EXPECT_TRUE(!listens || ::listen(socket_, 8) == 0);
    EXPECT_EQ(::getsockname(socket_, generic, &address.size), 0);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { ::close(socket_); }
  bool is(const Address& other) const {
    return reinterpret_cast<const sockaddr_in&>(other.storage).sin_port ==
           reinterpret_cast<const sockaddr_in&>(address.storage).sin_port;
  }

  Address address;

private:
  int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

TEST(LoadTarget, is_the_first_address_that_accepts_a_connection) {
  const Place closed(false);
  const Place open(true);
  EXPECT_TRUE(open.is(choose({closed.address, open.address})));
  EXPECT_TRUE(open.is(choose({open.address, closed.address})));
  EXPECT_TRUE(closed.is(choose({closed.address, closed.address})));
  EXPECT_TRUE(closed.is(choose({closed.address})));
}

}  // namespace
}  // namespace tern::load
