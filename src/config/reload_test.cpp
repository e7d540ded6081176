// Reading again: what listeners see, what a running server takes over, and SIGHUP.
#include "config/config_testing.hpp"

#include "net/test_peer.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <future>
#include <thread>

namespace tern::configuration {
namespace {

class Reload : public ConfigTest {};

TEST_F(Reload, changes_all_settings_at_once_and_tells_which) {
  auto config = read("title = 'One'\n" + required);
  ASSERT_TRUE(config) << config.error().faults;
  const Shop& before = **config;
  std::string told;
  config->on_change([&told](const Shop& from, const Shop& to) { told = from.title + " to " + to.title; });
  write("shop.toml", "title = 'Two'\ntax = 0.1\n" + required);
  const ConfigReload reload = config->reload();
  EXPECT_EQ(reload.faults, "");
  EXPECT_EQ(reload.changed, (std::vector<std::string>{"title", "tax"}));
  EXPECT_EQ(told, "One to Two");
  EXPECT_EQ((*config)->title, "Two");
  EXPECT_EQ(before.title, "One") << "references stay valid";
}

TEST_F(Reload, of_an_invalid_file_changes_nothing) {
  auto config = read("title = 'One'\n" + required);
  ASSERT_TRUE(config) << config.error().faults;
  bool told = false;
  config->on_change([&told](const Shop&, const Shop&) { told = true; });
  write("shop.toml", "title = 'Two'\ntax = 5\n" + required);
  EXPECT_NE(config->reload().faults.find("tax: must be at most 1"), std::string::npos);
  EXPECT_EQ((*config)->title, "One");
  EXPECT_FALSE(told);
}

TEST_F(Reload, without_a_change_is_silent) {
  auto config = read(required);
  ASSERT_TRUE(config) << config.error().faults;
  bool told = false;
  config->on_change([&told](const Shop&, const Shop&) { told = true; });
  EXPECT_TRUE(config->reload().changed.empty());
  EXPECT_FALSE(told);
}

TEST_F(Reload, reads_secrets_again) {
  const Variable file("SHOP_DATABASE_PASSWORD_FILE", write("password", "old"));
  auto config = read(required);
  ASSERT_TRUE(config) << config.error().faults;
  write("password", "new");
  EXPECT_EQ(config->reload().changed, (std::vector<std::string>{"database.password"}));
  EXPECT_EQ((*config)->database.password->reveal(), "new");
}

// A server whose options are those of a file.
struct Service {
  std::string greeting = "Hello";
  Options server = {};
};

class ReloadOfServer : public ConfigTest {
protected:
  std::string toml(std::string_view greeting, std::string_view body, std::string_view level = "error",
                   std::string_view more = "") {
    std::string text = "greeting = '";
    text.append(greeting).append("'\n[server]\nport = 0\nthreads = 2\n").append(more);
    text.append("limits.request.max_body_bytes = ").append(body).append("\n[server.logging]\nlevel = '");
    return text.append(level).append("'\nerror_file = '").append(folder.path / "error.log").append("'\n");
  }
  std::string status_of(std::uint16_t port, const std::string& content) {
    net::Peer peer = net::Peer::connect(*net::Address::parse("127.0.0.1", port));
    const std::string head =
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ";
    EXPECT_TRUE(peer.send(head + std::to_string(content.size()) + "\r\n\r\n" + content));
    return peer.receive_all().substr(9, 3);
  }
};

TEST_F(ReloadOfServer, applies_limits_and_the_log_level_at_sighup) {
  auto config = read<Service>(toml("Hello", "10"));
  ASSERT_TRUE(config) << config.error().faults;
  App app;
  app.post("/", [](tern::Json<std::string> content) { return *content; });
  std::promise<std::uint16_t> started;
  std::promise<void> reloaded;
  app.on_start([&] { started.set_value(app.port()); });
  config->follow(app, &Service::server);
  app.on_reload([&] { reloaded.set_value(); });
  std::thread thread([&] { EXPECT_EQ(app.run((*config)->server), 0); });
  const std::uint16_t port = started.get_future().get();
  EXPECT_EQ(status_of(port, '"' + std::string(20, 'x') + '"'), "413");

  write("shop.toml", toml("Hi", "100", "info", "host = '0.0.0.0'\n"));
  ::kill(::getpid(), SIGHUP);
  reloaded.get_future().wait();
  EXPECT_EQ(status_of(port, '"' + std::string(20, 'x') + '"'), "200");
  EXPECT_EQ((*config)->greeting, "Hi");
  app.stop(false);
  thread.join();
  std::ifstream file(folder.path / "error.log");
  const std::string log((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(log.find("these options change with the next start: host"), log.npos) << log;
  EXPECT_NE(log.find("changed greeting, server.host, server.limits.request.max_body_bytes, server.logging.level"),
            log.npos)
      << log;
}

TEST_F(ReloadOfServer, keeps_everything_when_the_file_is_broken) {
  auto config = read<Service>(toml("Hello", "10"));
  ASSERT_TRUE(config) << config.error().faults;
  App app;
  app.post("/", [](tern::Json<std::string> content) { return *content; });
  std::promise<std::uint16_t> started;
  std::promise<void> reloaded;
  app.on_start([&] { started.set_value(app.port()); });
  config->follow(app, &Service::server);
  app.on_reload([&] { reloaded.set_value(); });
  std::thread thread([&] { EXPECT_EQ(app.run((*config)->server), 0); });
  const std::uint16_t port = started.get_future().get();
  write("shop.toml", toml("Hi", "'many'"));
  ::kill(::getpid(), SIGHUP);
  reloaded.get_future().wait();
  EXPECT_EQ(status_of(port, '"' + std::string(20, 'x') + '"'), "413");
  EXPECT_EQ((*config)->greeting, "Hello");
  app.stop(false);
  thread.join();
  std::ifstream file(folder.path / "error.log");
  const std::string log((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(log.find("the configuration stays as it is: shop: "), log.npos) << log;
}

TEST(Apply, refuses_what_a_start_refuses_and_changes_nothing) {
  App app;
  Options options;
  options.port = 0;
  options.logging.level = LogLevel::Off;
  app.start(options);
  options.proxies.trusted = {"nonsense"};
  EXPECT_THROW(app.apply(options), SetupError);
  options.proxies.trusted = {};
  options.threads = 7;
  options.timeouts.idle = Seconds(1);
  EXPECT_EQ(app.apply(options), std::vector<std::string>{"threads"});
  app.stop();
  EXPECT_TRUE(app.apply(options).empty());
}

}  // namespace
}  // namespace tern::configuration
