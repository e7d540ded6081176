#include "tls/certificate_names.hpp"

#include "tls/test_certificates.hpp"

#include <gtest/gtest.h>

namespace tern::tls {
namespace {

class NamesTest : public ::testing::Test {
protected:
  NamesTest() {
    names_.add(*issue({.common_name = "first.example"}).certificate, 0);
    names_.add(*issue({.common_name = "ignored.example", .hosts = {"One.example", "*.one.example"}}).certificate, 1);
    names_.add(*issue({.hosts = {"www.one.example", "one.example"}}).certificate, 2);
    names_.add(*issue({.common_name = "plain.example"}).certificate, 3);
  }
  CertificateNames names_;
};

TEST_F(NamesTest, finds_exact_names_whatever_their_case) {
  EXPECT_EQ(names_.find("one.example"), 1);
  EXPECT_EQ(names_.find("ONE.Example"), 1);
  EXPECT_EQ(names_.find("one.example."), 1);
}

TEST_F(NamesTest, prefers_an_exact_name_to_an_asterisk) {
  EXPECT_EQ(names_.find("www.one.example"), 2);
  EXPECT_EQ(names_.find("mail.one.example"), 1);
}

TEST_F(NamesTest, lets_an_asterisk_stand_for_one_label) {
  EXPECT_EQ(names_.find("a.b.one.example"), 0);
  EXPECT_EQ(names_.find(".one.example"), 1);  // not a host name; returning a certificate for it is harmless
}

TEST_F(NamesTest, takes_the_common_name_only_where_there_are_no_others) {
  EXPECT_EQ(names_.find("plain.example"), 3);
  EXPECT_EQ(names_.find("ignored.example"), 0);
}

TEST_F(NamesTest, has_the_first_certificate_for_all_others) {
  EXPECT_EQ(names_.find("unknown.example"), 0);
  EXPECT_EQ(names_.find(""), 0);
  EXPECT_EQ(names_.find("localhost"), 0);
}

}  // namespace
}  // namespace tern::tls
