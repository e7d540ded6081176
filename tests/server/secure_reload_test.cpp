// Certificates that change while an app runs, several addresses at once, and mistakes at the start.
#include "logging/log.hpp"
#include "server/tls_peer.hpp"
#include "transport/certificates.hpp"

#include <tern/tern.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <future>
#include <new>
#include <sstream>
#include <string>
#include <thread>

namespace tern::testing {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class Reloading : public ::testing::Test {
protected:
  Reloading() {
    app.get("/scheme", [](Request& request) { return request.scheme(); });
    write("first");
    options.port = 0;
    options.threads = 2;
    options.logging = {AccessLog::Off, {}, LogLevel::Info, files.path("log")};
    options.tls = {.certificate = files.path("cert.pem"), .key = files.path("key.pem")};
  }

  void write(const std::string& name) {
    const tls::Issued issued = tls::issue({.common_name = name});
    files.write("cert.pem", issued.certificate_pem());
    files.write("key.pem", issued.key_pem());
  }
  // The name in the certificate that new connections are shown.
  std::string shown() {
    TlsPeer peer(app.port());
    return peer.shake_hands() ? peer.client.server() : "nothing";
  }
  template <class F>
  static bool eventually(F condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }
  std::string log() const { return (std::ostringstream() << std::ifstream(files.path("log")).rdbuf()).str(); }
  bool log_has(std::string_view line) const { return log().find(line) != std::string::npos; }
  std::string failure() {
    try {
      app.start(options);
      app.stop();
    } catch (const SetupError& error) {
      return error.what();
    }
    return {};
  }

  tls::TemporaryDirectory files;
  App app;
  Options options;
};

TEST_F(Reloading, files_that_change_are_loaded_and_connections_stay) {
  app.start(options);
  TlsPeer old(app.port());
  ASSERT_TRUE(old.shake_hands());
  write("second");
  EXPECT_TRUE(eventually([this] { return shown() == "second"; }));
  EXPECT_THAT(old.ask("/scheme"), EndsWith("https"));
}

TEST_F(Reloading, files_that_cannot_be_used_change_nothing) {
  app.start(options);
  files.write("key.pem", tls::issue({}).key_pem());
  try {
    app.reload_certificates();
    ADD_FAILURE() << "accepted";
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(files.path("key.pem")), HasSubstr("does not belong")));
  }
  EXPECT_EQ(shown(), "first");
  EXPECT_TRUE(eventually([this] { return log().find("stay as they were: ") != std::string::npos; }));
  write("second");
  app.reload_certificates();
  EXPECT_TRUE(eventually([this] { return shown() == "second"; }));
}

TEST_F(Reloading, a_reload_that_found_no_memory_is_tried_again) {
  logging::Log log(LogOptions{AccessLog::Off, {}, LogLevel::Info, files.path("log")});
  transport::Certificates certificates(log, Milliseconds(1));
  tls::Config config;
  config.certificates.push_back({files.path("cert.pem"), files.path("key.pem"), {}});
  ASSERT_TRUE(certificates.load(0, "listener", config));
  std::atomic<int> calls = 0;
  certificates.watch([&](std::size_t, const transport::Certificates::Context&) {
    if (++calls == 1) throw std::bad_alloc();
  });
  write("second");
  EXPECT_TRUE(eventually([&] { return calls >= 2; }));
  EXPECT_TRUE(eventually([this] { return log_has("looking after certificates failed: std::bad_alloc"); }));
  EXPECT_TRUE(eventually([this] { return log_has("are loaded again"); }));
}

TEST_F(Reloading, reload_does_nothing_without_a_server) {
  app.reload_certificates();
  options.tls = {};
  app.start(options);
  app.reload_certificates();
}

TEST_F(Reloading, no_client_is_rejected_under_load) {
  app.start(options);
  std::atomic<bool> ends = false;
  const auto client = [&] {
    int served = 0;
    for (; !ends || served == 0; ++served) {
      TlsPeer peer(app.port());
      if (!peer.shake_hands() || !peer.ask("/scheme").ends_with("https")) return -1;
    }
    return served;
  };
  auto one = std::async(std::launch::async, client);
  auto other = std::async(std::launch::async, client);
  for (int i = 0; i < 20; ++i) {
    write("name" + std::to_string(i));
    app.reload_certificates();
  }
  EXPECT_TRUE(eventually([this] { return shown() == "name19"; }));
  ends = true;
  EXPECT_GT(one.get(), 0);
  EXPECT_GT(other.get(), 0);
}

TEST_F(Reloading, a_hang_up_loads_them) {
  app.on_start([this] {
    write("second");
    std::raise(SIGHUP);
  });
  auto code = std::async(std::launch::async, [this] { return app.run(options); });
  EXPECT_TRUE(eventually([this] { return log().find("are loaded again") != std::string::npos; }));
  EXPECT_TRUE(eventually([this] { return shown() == "second"; }));
  app.stop(false);
  EXPECT_EQ(code.get(), 0);
}

TEST_F(Reloading, several_addresses_are_served_at_once) {
  const std::string path = files.path("socket");
  options.listeners = {{}, {.unix_path = path}, {.tls = options.tls}};
  app.start(options);
  for (const std::size_t secure : {0U, 3U}) {
    TlsPeer peer(app.port(secure));
    ASSERT_TRUE(peer.shake_hands());
    EXPECT_THAT(peer.ask("/scheme"), EndsWith("https"));
  }
  constexpr std::string_view request = "GET /scheme HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  net::Peer plain = net::Peer::connect(*net::Address::parse("127.0.0.1", app.port(1)));
  plain.send(request);
  EXPECT_THAT(plain.receive_all(), EndsWith("\r\n\r\nhttp"));
  net::Peer local = net::Peer::connect(path);
  local.send(request);
  EXPECT_THAT(local.receive_all(), EndsWith("\r\n\r\nhttp"));
  EXPECT_EQ(app.address(2), "unix:" + path);
  EXPECT_EQ(app.port(4), 0);
  EXPECT_EQ(app.address(4), "");
}

TEST_F(Reloading, an_address_that_is_taken_ends_the_others_again) {
  app.start(options);
  App other;
  Options again = options;
  again.listeners = {{.port = app.port()}};
  EXPECT_THROW(other.start(again), SetupError);
  again.listeners = {};
  other.start(again);
}

TEST_F(Reloading, mistakes_are_reported_at_the_start) {
  options.tls.key = files.path("nothing.pem");
  EXPECT_EQ(failure(), "cannot read " + files.path("nothing.pem") + ": No such file or directory");
  const tls::Issued old = tls::issue({.from = -7200, .until = -3600});
  options.tls = {.certificate = files.write("old.pem", old.certificate_pem() + old.key_pem())};
  EXPECT_THAT(failure(), AllOf(HasSubstr(files.path("old.pem")), HasSubstr(" expired on ")));
  options.tls = {.key = files.path("key.pem")};
  EXPECT_EQ(failure(), "tls.certificate is missing");
  options.tls = {.certificate = files.path("cert.pem"), .key = files.path("key.pem")};
  options.tls.client = ClientCertificates::Required;
  EXPECT_THAT(failure(), HasSubstr("tls.client_ca is missing"));
  options.tls.client = ClientCertificates::None;
  options.tls.client_ca = files.path("cert.pem");
  EXPECT_THAT(failure(), HasSubstr("does not ask"));
  options.tls.client_ca = {};
  EXPECT_EQ(failure(), "");
}

}  // namespace
}  // namespace tern::testing
