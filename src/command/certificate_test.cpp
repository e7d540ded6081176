// tern cert: names, what authorities sign for, and which files are left alone. tests/command has openssl and curl.
#include "command/certificate.hpp"

#include "base/test_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tern::command {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

class DevelopmentCertificate : public ::testing::Test {
protected:
  CertificateArguments arguments(std::string name) {
    CertificateArguments wanted;
    wanted.folder = folder.path / name;
    return wanted;
  }
  // What it is refused with; empty if it is made.
  static std::string fault(const CertificateArguments& wanted) {
    try {
      make_certificate(wanted);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  }
  static fs::perms mode(const fs::path& path) { return fs::status(path).permissions(); }

  base::TestFolder folder;
};

TEST_F(DevelopmentCertificate, has_keys_for_its_owner_only) {
  const MadeCertificate made = make_certificate(arguments("a"));
  EXPECT_TRUE(made.is_new_authority);
  const fs::perms owner = fs::perms::owner_read | fs::perms::owner_write;
  EXPECT_EQ(mode(made.key), owner);
  EXPECT_EQ(mode(folder.path / "a/ca-key.pem"), owner);
  EXPECT_THAT(read(made.key), HasSubstr("BEGIN PRIVATE KEY"));
  EXPECT_THAT(read(folder.path / "a/.gitignore"), HasSubstr("\n*\n"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path / "a"), {}), 5);
}

TEST_F(DevelopmentCertificate, is_not_replaced_without_being_told) {
  CertificateArguments wanted = arguments("a");
  const MadeCertificate made = make_certificate(wanted);
  const std::string certificate = read(made.certificate), key = read(made.key), authority = read(made.authority);
  EXPECT_THAT(fault(wanted), HasSubstr("cert.pem exists; --force replaces it"));
  EXPECT_EQ(read(made.certificate), certificate);
  EXPECT_EQ(read(made.key), key);
  wanted.replace = true;
  EXPECT_FALSE(make_certificate(wanted).is_new_authority);
  EXPECT_NE(read(made.certificate), certificate);
  EXPECT_NE(read(made.key), key);
  EXPECT_EQ(read(made.authority), authority);
}

TEST_F(DevelopmentCertificate, is_refused_before_anything_is_written) {
  CertificateArguments wanted = arguments("b");
  fs::create_directory(folder.path / "b");
  std::ofstream(folder.path / "b/key.pem") << "mine";
  EXPECT_THAT(fault(wanted), HasSubstr("key.pem exists"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path / "b"), {}), 1);
}

TEST_F(DevelopmentCertificate, shares_an_authority) {
  CertificateArguments wanted = arguments("a");
  wanted.authority_folder = folder.path / "ca";
  EXPECT_TRUE(make_certificate(wanted).is_new_authority);
  EXPECT_FALSE(fs::exists(folder.path / "a/ca.pem"));
  wanted.folder = folder.path / "b";
  wanted.names = {"shop.test", "*.shop.test", "localhost", "sub.localhost", "192.168.1.7", "fd00::1", "10.0.0.1"};
  EXPECT_FALSE(make_certificate(wanted).is_new_authority);
}

TEST_F(DevelopmentCertificate, is_for_local_names_and_those_of_its_authority) {
  CertificateArguments wanted = arguments("a");
  wanted.names = {"shop.example.org", "8.8.8.8", "2001:db8::1"};
  EXPECT_EQ(fault(wanted), "");
  wanted.replace = true;
  wanted.names = {"sub.shop.example.org", "printer.local"};
  EXPECT_EQ(fault(wanted), "");
  for (const char* name :
       {"example.org", "other.example.org", "8.8.4.4", "2001:db8::2", "mylocalhost", "test.example"}) {
    wanted.names = {"localhost", name};
    EXPECT_THAT(fault(wanted), HasSubstr("does not sign for one of the names")) << name;
  }
}

TEST_F(DevelopmentCertificate, names_what_is_wrong_with_an_authority) {
  CertificateArguments wanted = arguments("a");
  make_certificate(wanted);
  wanted.replace = true;
  const fs::path key = folder.path / "a/ca-key.pem";
  fs::rename(key, folder.path / "key");
  EXPECT_THAT(fault(wanted), HasSubstr("there is " + (folder.path / "a/ca.pem").string() + " without "));
  std::ofstream(key) << "no key";
  EXPECT_THAT(fault(wanted), HasSubstr("ca-key.pem has no key without a passphrase"));
  make_certificate(arguments("b"));
  fs::copy_file(folder.path / "b/ca-key.pem", key, fs::copy_options::overwrite_existing);
  EXPECT_THAT(fault(wanted), HasSubstr("ca-key.pem is not the key of"));
  // A certificate of a server is no authority.
  fs::copy_file(folder.path / "b/key.pem", key, fs::copy_options::overwrite_existing);
  fs::copy_file(folder.path / "b/cert.pem", folder.path / "a/ca.pem", fs::copy_options::overwrite_existing);
  EXPECT_THAT(fault(wanted), HasSubstr("ca.pem cannot be used"));
  fs::remove(folder.path / "a/ca.pem");
  EXPECT_THAT(fault(wanted), HasSubstr("ca-key.pem without "));
}

TEST_F(DevelopmentCertificate, reports_a_folder_that_cannot_be) {
  std::ofstream(folder.path / "file") << "text";
  EXPECT_THAT(fault(arguments("file/a")), HasSubstr("cannot make the folder"));
}

TEST(CertificateNames, are_dns_names_and_addresses) {
  for (const char* name : {"localhost", "shop.test", "*.shop.test", "a-b.c1", "xn--bcher-kva.test", "my_host",
                           "127.0.0.1", "::1", "fe80::1", "2001:db8::1"}) {
    EXPECT_EQ(certificate_name_fault(name), "") << name;
  }
  for (const char* name :
       {"", ".", "a..b", "a.", "-a", "a-", "*", "*.test", "a.*.test", "*shop.test", "https://localhost",
        "localhost:8080", "[::1]", "127.0.0", "1.2.3.256", "a b", "a,DNS:b", "a\nb", "b\303\274cher.test"}) {
    EXPECT_NE(certificate_name_fault(name), "") << name;
  }
  EXPECT_NE(certificate_name_fault(std::string(64, 'a')), "");
  EXPECT_NE(certificate_name_fault(std::string("a\0b", 3)), "");
}

TEST(CertificateText, has_a_url_of_the_first_name) {
  EXPECT_THAT(as_text({.authority = "ca.pem"}, {"::1"}), HasSubstr("--cacert ca.pem https://[::1]:8080/"));
  EXPECT_THAT(as_text({}, {"*.shop.test"}), HasSubstr("https://www.shop.test:8080/"));
}

}  // namespace
}  // namespace tern::command
