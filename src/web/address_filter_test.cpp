#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern::web {
namespace {

using testing::Client;
using testing::TestRequest;

class AddressFilterTest : public ::testing::Test {
protected:
  void serve(const AddressFilterOptions& options) {
    app_.get("/", [] { return "hello"; }).use(AddressFilter(options));
    client_.emplace(app_);
  }
  int from(const std::string& address) { return client_->send({.remote = address}).status; }

  App app_;
  std::optional<Client> client_;
};

TEST_F(AddressFilterTest, only_those_allowed_are_served) {
  serve({.allow = {"10.0.0.0/8", "2001:db8::/32", "192.0.2.7"}});
  EXPECT_EQ(from("10.255.0.1"), 200);
  EXPECT_EQ(from("192.0.2.7"), 200);
  EXPECT_EQ(from("2001:db8:1::7"), 200);
  EXPECT_EQ(from("11.0.0.1"), 403);
  EXPECT_EQ(from("192.0.2.8"), 403);
  EXPECT_EQ(from("2001:db9::1"), 403);
  EXPECT_EQ(from("unix"), 403);
}

TEST_F(AddressFilterTest, all_but_those_denied_are_served) {
  serve({.deny = {"192.0.2.0/24", "::/0"}});
  EXPECT_EQ(from("198.51.100.1"), 200);
  EXPECT_EQ(from("192.0.2.255"), 403);
  EXPECT_EQ(from("2001:db8::1"), 403);
  EXPECT_EQ(from("unix"), 200);
}

TEST_F(AddressFilterTest, who_is_denied_is_so_also_within_an_allowed_network) {
  serve({.allow = {"10.0.0.0/8", "unix"}, .deny = {"10.0.66.0/24"}});
  EXPECT_EQ(from("10.0.65.255"), 200);
  EXPECT_EQ(from("10.0.66.1"), 403);
  EXPECT_EQ(from("unix"), 200);
}

TEST_F(AddressFilterTest, an_ipv4_address_is_not_hidden_by_mapping_it) {
  serve({.deny = {"192.0.2.1"}});
  EXPECT_EQ(from("::ffff:192.0.2.1"), 403);
  EXPECT_EQ(from("::ffff:c000:201"), 403);
  EXPECT_EQ(from("::ffff:192.0.2.2"), 200);
}

TEST_F(AddressFilterTest, what_is_no_address_is_refused) {
  serve({.deny = {"192.0.2.1"}});
  for (const char* text : {"", "unknown", "192.0.2.1:80", "0300.0.2.1", "fe80::1%eth0"})
    EXPECT_EQ(from(text), 403) << text;
}

TEST(AddressFilter, refuses_options_that_cannot_hold) {
  EXPECT_THROW(AddressFilter({}), SetupError);
  for (const char* text : {"", "example.org", "10.0.0.1/8", "10.0.0.0/33", "*", "10.0.0.*"}) {
    EXPECT_THROW(AddressFilter({.allow = {text}}), SetupError) << text;
    EXPECT_THROW(AddressFilter({.deny = {text}}), SetupError) << text;
  }
}

}  // namespace
}  // namespace tern::web
