// Redis over TLS: a real Redis, and servers that are none.
#include "redis/client_testing.hpp"
#include "tls/test_certificates.hpp"

#include <tern/async.hpp>
#include <tern/redis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tern::redis {
namespace {

using ::testing::HasSubstr;
using Popped = std::optional<std::vector<std::string>>;

// A socket on loopback; the port is its own until it is closed.
int bound_socket(std::uint16_t& port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(descriptor, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port = ntohs(address.sin_port);
  return descriptor;
}

std::uint16_t free_port() {
  std::uint16_t port = 0;
  ::close(bound_socket(port));
  return port;
}

// Certificates of two authorities, in files.
struct Files {
  Files() {
    directory.write("ca.pem", authority.certificate_pem());
    directory.write("other.pem", other.certificate_pem());
    add("server", {.hosts = {"localhost", "IP:127.0.0.1"}}, authority);
    add("named", {.hosts = {"cache.example"}}, authority);
    add("expired", {.hosts = {"localhost"}, .from = -7200, .until = -3600}, authority);
    add("client", {.common_name = "client"}, authority);
  }
  void add(const std::string& name, const tls::Request& request, const tls::Issued& issuer) {
    const tls::Issued issued = tls::issue(request, &issuer);
    directory.write(name + ".pem", issued.certificate_pem());
    directory.write(name + ".key", issued.key_pem());
  }
  std::string path(const std::string& name) const { return directory.path(name); }

  tls::TemporaryDirectory directory;
  tls::Issued authority = tls::issue({.common_name = "authority", .authority = true});
  tls::Issued other = tls::issue({.common_name = "other", .authority = true});
};

const Files& files() {
  static const Files made;
  return made;
}

// redis-server with TLS on a port, and a Unix socket by which the test knows that it is there.
class TlsRedis {
public:
  explicit TlsRedis(const std::string& certificate, const std::string& auth_clients = "no") {
    for (int attempt = 0; attempt < 10; ++attempt) {  // another process may take the port first
      port = free_port();
      process_ = std::make_unique<testing::RedisProcess>(std::vector<std::string>{
          "--tls-port", std::to_string(port), "--tls-cert-file", files().path(certificate + ".pem"), "--tls-key-file",
          files().path(certificate + ".key"), "--tls-ca-cert-file", files().path("ca.pem"), "--tls-auth-clients",
          auth_clients});
      if (process_->await()) return;
    }
    process_.reset();
  }
  bool runs() const { return process_ != nullptr; }
  testing::RedisProcess& process() { return *process_; }

  std::uint16_t port = 0;

private:
  std::unique_ptr<testing::RedisProcess> process_;
};

// Accepts connections, and answers each with this: nothing, or nonsense. Then it holds them, or closes them.
class Stranger {
public:
  Stranger(std::string answer, bool holds) : answer_(std::move(answer)), holds_(holds), listening_(bound_socket(port)) {
    EXPECT_EQ(::listen(listening_, 64), 0);
    thread_ = std::thread([this] { serve(); });
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  ~Stranger() {
    ::shutdown(listening_, SHUT_RDWR);
    thread_.join();
    ::close(listening_);
  }

  std::uint16_t port = 0;
  std::atomic<int> accepted = 0;

private:
  void serve() {
    std::vector<int> held;
    for (int client; (client = ::accept(listening_, nullptr, nullptr)) >= 0; held.push_back(client)) {
      ++accepted;
      std::string hello(4096, '\0');
      if (!holds_ || !answer_.empty()) {
        ::recv(client, hello.data(), hello.size(), 0);
        ::send(client, answer_.data(), answer_.size(), MSG_NOSIGNAL);
      }
      if (!holds_) ::shutdown(client, SHUT_RDWR);
    }
    for (const int client : held) ::close(client);
  }

  const std::string answer_;
  const bool holds_;
  const int listening_;
  std::thread thread_;
};

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

class RedisTlsTest : public RunningAppTest {
protected:
  RedisTlsTest() {
    Options options = quiet();
    options.threads = 1;
    app.start(options);
  }
  static RedisOptions options(std::uint16_t port, std::string host = "localhost") {
    RedisOptions options{.host = std::move(host), .port = port, .timeout = Seconds(30), .retry = Milliseconds(20)};
    options.tls = {.enabled = true, .ca_file = files().path("ca.pem")};
    return options;
  }
  template <class F>
  auto run(F work) {
    return on_loop(app, std::move(work));
  }
  // The fault of a first command.
  Failure fault(const RedisOptions& options) {
    const Redis redis(options);
    const auto error = error_of(app, [&redis]() -> Task<> { co_await redis.command("PING"); });
    EXPECT_TRUE(error);
    return error.value_or(Failure{});
  }
};

TEST_F(RedisTlsTest, commands_are_sent_encrypted) {
  TlsRedis server("server");
  if (!server.runs()) GTEST_SKIP() << "redis-server is not installed";
  for (const char* host : {"localhost", "127.0.0.1"}) {
    const Redis redis(options(server.port, host));
    run([&]() -> Task<> {
      const std::string large(3'000'000, 'x');  // many records in both directions
      co_await redis.command("SET", "large", large);
      EXPECT_EQ(co_await redis.command<std::string>("GET", "large"), large);
      Scope scope;
      for (int i = 0; i < 500; ++i) {
        scope.spawn([](const Redis& on) -> Task<> { co_await on.command("INCR", "count"); }(redis));
      }
      co_await scope.join();
      EXPECT_EQ(co_await redis.command<int>("GETDEL", "count"), 500);
      RedisTransaction both = redis.transaction();
      both.add("SET", "a", "1").add("INCR", "a");
      co_await std::move(both).run<void>();
      EXPECT_EQ(co_await redis.command<int>("GET", "a"), 2);
    });
    EXPECT_EQ(redis.statistics().connections, 1U);
  }
}

TEST_F(RedisTlsTest, blocking_commands_subscriptions_and_stores_are_too) {
  TlsRedis server("server");
  if (!server.runs()) GTEST_SKIP() << "redis-server is not installed";
  const Redis redis(options(server.port));
  run([&]() -> Task<> {
    const RedisBlocking queue(redis, Seconds(20));
    RedisSubscription news(redis, {"news"});
    co_await news.subscribe();
    co_await redis.command("PUBLISH", "news", "one");
    EXPECT_EQ((co_await news.next()).payload, "one");
    // More than a reader that is paused takes at once.
    const std::string text(10'000, 'y');
    for (int i = 0; i < 1500; ++i) co_await redis.command("PUBLISH", "news", text);
    for (int i = 0; i < 1500; ++i) {
      const RedisMessage message = co_await news.next();
      EXPECT_FALSE(message.missed);
      EXPECT_EQ(message.payload.size(), text.size());
    }
    co_await redis.command("RPUSH", "jobs", "job");
    const Popped popped = co_await queue.command<Popped>("BLPOP", "jobs", 20);
    EXPECT_EQ(popped.value().at(1), "job");
    RedisStore store(redis);
    co_await store.write("key", "value", Seconds(100));
    EXPECT_EQ((co_await store.read("key")).value().value, "value");
  });
}

class Host final : public BusHost {
public:
  void deliver(const Publication& publication) override {
    delivered += publication.content;
    arrived.set();
  }
  void inform(std::string_view line) override { (log += line) += '\n'; }
  void warn(std::string_view line) override { (log += line) += '\n'; }

  std::string delivered;
  std::string log;
  Event arrived;
};

TEST_F(RedisTlsTest, the_bus_is_too) {
  TlsRedis server("server");
  if (!server.runs()) GTEST_SKIP() << "redis-server is not installed";
  RedisBus here(options(server.port));
  RedisBus there(options(server.port));
  Host host_here;
  Host host_there;
  run([&]() -> Task<> {
    co_await here.start(host_here);
    co_await there.start(host_there);
    EXPECT_EQ(here.publish({"topic", "hello"}), PublishStatus::Sent);
    co_await host_there.arrived;
    EXPECT_EQ(host_there.delivered, "hello");
    EXPECT_EQ(host_here.delivered, "");
    EXPECT_EQ(here.statistics().value().published, 1U);
    EXPECT_EQ(here.statistics().value().received, 0U);  // its own does not count
    EXPECT_EQ(there.statistics().value().received, 1U);
    EXPECT_TRUE(there.statistics().value().connected);
    server.process().kill();
    while (here.statistics().value().connected) co_await sleep_for(Milliseconds(1));
    EXPECT_EQ(here.publish({"topic", "meanwhile"}), PublishStatus::Queued);
    EXPECT_GT(here.statistics().value().queued_bytes, 0U);
    server.process().start();
    while (here.statistics().value().queued_bytes != 0) co_await sleep_for(Milliseconds(1));
    EXPECT_EQ(here.statistics().value().reconnects, 1U);
    EXPECT_EQ(here.statistics().value().published, 2U);
    EXPECT_EQ(here.statistics().value().lost, 0U);
    co_await here.stop();
    co_await there.stop();
    here.end();
    there.end();
  });
}

TEST_F(RedisTlsTest, a_lost_connection_is_made_again) {
  TlsRedis server("server");
  if (!server.runs()) GTEST_SKIP() << "redis-server is not installed";
  const Redis redis(options(server.port));
  const auto ping = [&redis]() -> Task<> { co_await redis.command("PING"); };
  run(ping);
  server.process().kill();
  EXPECT_TRUE(error_of(app, ping));
  server.process().start();
  while (error_of(app, ping)) std::this_thread::yield();
  EXPECT_EQ(redis.statistics().reconnects, 1U);
}

TEST_F(RedisTlsTest, certificates_that_are_not_accepted_are_named) {
  TlsRedis server("server");
  TlsRedis named("named");
  TlsRedis expired("expired");
  if (!server.runs() || !named.runs() || !expired.runs()) GTEST_SKIP() << "redis-server is not installed";
  RedisOptions other_authority = options(server.port);
  other_authority.tls.ca_file = files().path("other.pem");
  RedisOptions system = options(server.port);
  system.tls.ca_file = "";
  RedisOptions other_name = options(server.port);
  other_name.tls.server_name = "cache.example";
  for (const RedisOptions& unknown : {other_authority, system}) {
    const Failure failure = fault(unknown);
    EXPECT_EQ(failure.fault, RedisFault::Unavailable);
    EXPECT_THAT(failure.what,
                HasSubstr("TLS: the certificate is not accepted: self-signed certificate in certificate chain"));
  }
  EXPECT_THAT(fault(other_name).what, HasSubstr("the certificate is not accepted: hostname mismatch"));
  EXPECT_THAT(fault(options(named.port)).what, HasSubstr("the certificate is not accepted: hostname mismatch"));
  EXPECT_THAT(fault(options(named.port, "127.0.0.1")).what, HasSubstr("not accepted: IP address mismatch"));
  EXPECT_THAT(fault(options(expired.port)).what, HasSubstr("the certificate is not accepted: certificate has expired"));
  RedisOptions right_name = options(named.port, "127.0.0.1");
  right_name.tls.server_name = "cache.example";
  const Redis redis(right_name);
  run([&]() -> Task<> { co_await redis.command("PING"); });
}

TEST_F(RedisTlsTest, a_server_may_want_a_certificate_of_the_client) {
  TlsRedis server("server", "yes");
  if (!server.runs()) GTEST_SKIP() << "redis-server is not installed";
  EXPECT_THAT(fault(options(server.port)).what, HasSubstr("TLS: tlsv13 alert certificate required"));
  RedisOptions with = options(server.port);
  with.tls.certificate_file = files().path("client.pem");
  with.tls.key_file = files().path("client.key");
  const Redis redis(with);
  run([&]() -> Task<> { co_await redis.command("PING"); });
}

TEST_F(RedisTlsTest, a_server_without_tls_is_named) {
  const std::uint16_t port = free_port();
  testing::RedisProcess plain({"--port", std::to_string(port)});
  if (!plain.await()) GTEST_SKIP() << "redis-server is not installed";
  RedisOptions soon = options(port);
  soon.timeout = Milliseconds(300);
  // Redis waits for the rest of the command that a greeting of TLS is for it, or says that it is none.
  EXPECT_THAT(fault(soon).what, ::testing::AnyOf(HasSubstr("TLS: "), HasSubstr("in the handshake of TLS")));
}

TEST_F(RedisTlsTest, nonsense_is_an_error_of_connecting) {
  const std::string broken_hello("\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03", 11);
  for (const std::string& answer : std::vector<std::string>{
           "+PONG\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", std::string(20'000, '\0'), std::string(20'000, '\x16'),
           broken_hello + std::string(500, '\xff'), std::string("\x15\x03\x03\x00\x02\x02\x28", 7)}) {
    SCOPED_TRACE(answer.substr(0, 8));
    const Stranger stranger(answer, true);
    RedisOptions soon = options(stranger.port, "127.0.0.1");
    soon.timeout = Seconds(5);
    const Failure failure = fault(soon);
    EXPECT_EQ(failure.fault, RedisFault::Unavailable);
    EXPECT_THAT(failure.what, HasSubstr("TLS: "));
  }
  const Stranger leaves("", false);
  EXPECT_THAT(fault(options(leaves.port, "127.0.0.1")).what,
              ::testing::AnyOf(HasSubstr("closed the connection during the handshake"), HasSubstr("reset by peer")));
}

TEST_F(RedisTlsTest, a_handshake_that_stalls_ends_with_the_time_for_connecting) {
  for (const std::string& part : {std::string(), std::string("\x16\x03\x03\x00\x7a\x02\x00", 7)}) {
    Stranger stranger(part, true);
    RedisOptions soon = options(stranger.port, "127.0.0.1");
    soon.timeout = Milliseconds(20);
    soon.retry = Milliseconds(1);
    const Redis redis(soon);
    const auto ping = [&redis]() -> Task<> { co_await redis.command("PING"); };
    const auto failure = error_of(app, ping);
    ASSERT_TRUE(failure);
    EXPECT_THAT(failure->what, ::testing::ContainsRegex("no answer for [0-9]+ ms in the handshake of TLS"));
    const std::ptrdiff_t before = open_descriptors();
    while (stranger.accepted < 10) std::this_thread::yield();
    EXPECT_LE(open_descriptors(), before + 10 + 2);  // the server's; the client has one at a time
  }
}

TEST_F(RedisTlsTest, options_that_cannot_be_meant_are_refused) {
  const auto refused = [](const RedisOptions& options) -> std::string {
    try {
      const Redis redis(options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  RedisOptions missing = options(1);
  missing.tls.ca_file = files().path("none.pem");
  EXPECT_THAT(refused(missing), HasSubstr("Redis: ca_file " + missing.tls.ca_file + " cannot be loaded"));
  RedisOptions other_key = options(1);
  other_key.tls.certificate_file = files().path("client.pem");
  EXPECT_THAT(refused(other_key), HasSubstr("certificate_file and key_file"));
  other_key.tls.key_file = files().path("server.key");
  EXPECT_THAT(refused(other_key), HasSubstr("is no key of the certificate"));
  RedisOptions on_unix = options(1);
  on_unix.unix_path = "/tmp/redis";
  EXPECT_THAT(refused(on_unix), HasSubstr("a Unix socket has no TLS"));
  RedisOptions disabled = options(1);
  disabled.tls.enabled = false;
  EXPECT_THAT(refused(disabled), HasSubstr("not enabled"));
  App other;
  other.bus(RedisBus(missing));
  EXPECT_THROW(other.start(quiet()), std::invalid_argument);
}

}  // namespace
}  // namespace tern::redis
