// Certificates that are loaded again; tests/server/secure_reload_test.cpp has the watching thread and its connections.
#include "transport/certificates.hpp"

#include "logging/log.hpp"
#include "tls/test_certificates.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tern::transport {
namespace {

class CertificatesTest : public ::testing::Test {
protected:
  tls::Config write(const std::string& name) {
    const tls::Issued issued = tls::issue({.hosts = {name}});
    return {.certificates = {{.certificate = folder.write(name + ".pem", issued.certificate_pem()),
                              .key = folder.write(name + ".key", issued.key_pem())}}};
  }
  // Uses contexts as a server would. The period is too long to matter.
  void watch() {
    certificates.watch(
        [this](std::size_t listener, const Certificates::Context& context) { used[listener] = context; });
  }

  tls::TemporaryDirectory folder;
  logging::Log log{LogOptions{.level = LogLevel::Off}};
  std::map<std::size_t, Certificates::Context> used;
  Certificates certificates{log, Seconds(3600)};
};

TEST_F(CertificatesTest, a_reload_gives_every_listener_a_new_context) {
  const auto first = certificates.load(0, "a", write("a.example"));
  const auto second = certificates.load(1, "b", write("b.example"));
  ASSERT_TRUE(first && second);
  watch();
  EXPECT_EQ(certificates.reload(), "");
  ASSERT_EQ(used.size(), 2U);
  EXPECT_NE(used[0], *first);
  EXPECT_NE(used[1], *second);
}

TEST_F(CertificatesTest, invalid_files_change_nothing_and_are_named) {
  const tls::Config config = write("a.example");
  ASSERT_TRUE(certificates.load(0, "a", config));
  ASSERT_TRUE(certificates.load(1, "b", write("b.example")));
  watch();
  const std::string file = folder.write("a.example.pem", "-----BEGIN CERTIFICATE-----\nno\n");
  const std::string faults = certificates.reload();
  EXPECT_NE(faults.find(file), std::string::npos) << faults;
  EXPECT_EQ(used.count(0), 0U);
  EXPECT_EQ(used.count(1), 1U);  // the other listener is not affected
}

TEST_F(CertificatesTest, a_missing_file_is_an_error_that_names_it) {
  const auto loaded = certificates.load(
      0, "a", {.certificates = {{.certificate = folder.path("none.pem"), .key = folder.path("none.key")}}});
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().find("none.pem"), std::string::npos) << loaded.error();
}

}  // namespace
}  // namespace tern::transport
