// Files into structs: every kind of member, and what is wrong with a file.
#include "config/config_testing.hpp"

#include <gtest/gtest.h>

namespace tern::configuration {
namespace {

class Files : public ConfigTest {};

TEST_F(Files, set_every_kind_of_member) {
  const auto config = read(R"(
title = "Books"
open = false
tax = 0
colour = "darkblue"
cache_bytes = "16 MiB"
upload = "1 kB"
patience = "1m30s"
origins = ["https://a.example", "https://b.example"]
shelves = { left = 3, "to the right" = 4 }

[database]
url = "postgresql:///shop"
password = "secret"
timeout = "5s"

[[backends]]
host = "10.0.0.1"

[[backends]]
host = "10.0.0.2"
port = 8081
)");
  ASSERT_TRUE(config) << config.error().faults;
  const Shop& shop = **config;
  EXPECT_EQ(shop.title, "Books");
  EXPECT_FALSE(shop.open);
  EXPECT_EQ(shop.tax, 0);
  EXPECT_EQ(shop.colour, Colour::DarkBlue);
  EXPECT_EQ(shop.cache_bytes, 16U * 1024 * 1024);
  EXPECT_EQ(shop.upload.bytes, 1000U);
  EXPECT_EQ(shop.patience, Seconds(90));
  EXPECT_EQ(shop.origins, (std::vector<std::string>{"https://a.example", "https://b.example"}));
  EXPECT_EQ(shop.shelves, (std::map<std::string, int>{{"left", 3}, {"to the right", 4}}));
  EXPECT_EQ(shop.database.url, "postgresql:///shop");
  EXPECT_EQ(shop.database.password->reveal(), "secret");
  EXPECT_EQ(shop.database.pool_size, 4);
  EXPECT_EQ(shop.database.timeout, Seconds(5));
  ASSERT_EQ(shop.backends.size(), 2U);
  EXPECT_EQ(shop.backends[0].port, 80);
  EXPECT_EQ(shop.backends[1].host, "10.0.0.2");
  EXPECT_EQ(shop.backends[1].port, 8081);
}

TEST_F(Files, leave_defaults_of_what_they_do_not_name) {
  const auto config = read(required);
  ASSERT_TRUE(config) << config.error().faults;
  EXPECT_EQ((*config)->title, "Shop");
  EXPECT_EQ((*config)->patience, Seconds(30));
  EXPECT_EQ((*config)->database.timeout, std::nullopt);
}

TEST_F(Files, with_unknown_names_are_refused_with_the_line_and_the_nearest_name) {
  EXPECT_EQ(faults("titel = 'x'\n" + required), "shop: shop.toml:1:9: unknown key `titel`, did you mean `title`?\n");
  EXPECT_EQ(faults(required + "\n[database]\n"), faults(required + "\n[database]\n"));
  EXPECT_EQ(faults("pool_size = 3\n" + required),
            "shop: shop.toml:1:13: unknown key `pool_size`, did you mean `database.pool_size`?\n");
  EXPECT_EQ(faults(required + "[kitchen]\n"), "shop: shop.toml:2:2: unknown key `kitchen`\n");
  EXPECT_EQ(faults("[[backends]]\nhots = 'a'\n[database]\nurl = ''\n"),
            "shop: shop.toml:2:8: unknown key `backends[0].hots`, did you mean `host`?\n");
}

TEST_F(Files, with_wrong_values_are_refused_with_what_was_expected) {
  EXPECT_EQ(faults("open = 'perhaps'\n" + required), "shop: shop.toml:1:8: open: expected true or false, not a text\n");
  EXPECT_EQ(faults("patience = 30\n" + required),
            "shop: shop.toml:1:12: patience: expected a duration with a unit (ms, s, m, h, d), such as \"30s\", not "
            "\"30\"\n");
  EXPECT_EQ(faults("colour = 'pink'\n" + required),
            "shop: shop.toml:1:10: colour: expected one of Red, Green, DarkBlue, not \"pink\"\n");
  EXPECT_EQ(
      faults("cache_bytes = '16 M'\n" + required),
      "shop: shop.toml:1:15: cache_bytes: expected a number of bytes, such as 4096 or \"16 MiB\", not \"16 M\"\n");
  EXPECT_EQ(faults("[[backends]]\nhost = 'a'\nport = 70000\n[database]\nurl = 'x'\n"),
            "shop: shop.toml:3:8: backends[0].port: expected an integer from 0 to 65535, not \"70000\"\n");
  EXPECT_EQ(faults("origins = 'a'\n" + required), "shop: shop.toml:1:11: origins: expected a list, not a text\n");
  EXPECT_EQ(faults("database = 7\n"), "shop: shop.toml:1:12: database: expected a table, not an integer\n");
}

TEST_F(Files, report_all_faults_at_once) {
  EXPECT_EQ(faults("titel = 'x'\ntax = 'low'\n" + required),
            "shop: shop.toml:2:7: tax: expected a number, not a text\n"
            "shop: shop.toml:1:9: unknown key `titel`, did you mean `title`?\n");
}

TEST_F(Files, that_are_no_toml_are_refused_with_the_line) {
  const std::string text = faults("title = \n" + required);
  EXPECT_TRUE(text.starts_with("shop: shop.toml:1:")) << text;
  EXPECT_EQ(faults("title = 'a'\ntitle = 'b'\n" + required).substr(0, 20), "shop: shop.toml:2:9:");
}

TEST_F(Files, keep_the_rules_of_the_struct) {
  EXPECT_EQ(faults("title = ''\n" + required), "shop: shop.toml:1:9: title: must have at least 1 character\n");
  EXPECT_EQ(faults("tax = 2\n" + required), "shop: shop.toml:1:7: tax: must be at most 1\n");
  EXPECT_EQ(faults("origins = ['a', 'b', 'c', 'd']\n" + required),
            "shop: shop.toml:1:11: origins: must have at most 3 elements\n");
  EXPECT_EQ(faults("cache_bytes = 1\nupload = '1 MiB'\n" + required),
            "shop: shop.toml:1:15: cache_bytes: must not be less than upload\n");
}

TEST_F(Files, without_a_required_member_are_refused_with_the_ways_to_set_it) {
  EXPECT_EQ(faults("title = 'x'\n"),
            "shop: database.url is missing: set it in the file, by SHOP_DATABASE_URL or by --database.url\n");
  EXPECT_EQ(faults("[[backends]]\nport = 1\n[database]\nurl = 'x'\n"), "shop: backends[0].host is missing\n");
}

struct Local {
  Database database = {.url = "sqlite:local.db"};
};

TEST_F(Files, need_no_text_that_the_struct_around_it_has) {
  const auto config = read<Local>("[database]\npool_size = 5\n");
  ASSERT_TRUE(config) << config.error().faults;
  EXPECT_EQ((*config)->database.url, "sqlite:local.db");
  EXPECT_EQ((*config)->database.pool_size, 5);
}

struct Twice {
  int a_b = 1;
  struct Inner {
    int b = 2;
  } a = {};
};
struct Helpful {
  bool help = false;
};

TEST_F(Files, cannot_have_structs_whose_settings_have_one_name) {
  EXPECT_THROW(static_cast<void>(read<Twice>("")), SetupError);
  EXPECT_THROW(static_cast<void>(read<Helpful>("")), SetupError);
}

TEST_F(Files, set_the_options_of_a_server) {
  const auto config = read<Options>(R"(
host = "0.0.0.0"
port = 9000
[limits]
max_connections = 100
request.max_body_bytes = "2 MiB"
[timeouts]
idle = "90s"
[logging]
level = "warning"
[[listeners]]
name = "admin"
port = 9001
)");
  ASSERT_TRUE(config) << config.error().faults;
  const Options& options = **config;
  EXPECT_EQ(options.host, "0.0.0.0");
  EXPECT_EQ(options.port, 9000);
  EXPECT_EQ(options.limits.max_connections, 100U);
  EXPECT_EQ(options.limits.request.max_body_bytes, 2U * 1024 * 1024);
  EXPECT_EQ(options.timeouts.idle, Seconds(90));
  EXPECT_EQ(options.timeouts.head, Seconds(10));
  EXPECT_EQ(options.logging.level, LogLevel::Warning);
  ASSERT_EQ(options.listeners.size(), 1U);
  EXPECT_EQ(options.listeners[0].name, "admin");
  EXPECT_EQ(options.listeners[0].host, "127.0.0.1");
  EXPECT_EQ(faults<Options>("prot = 1\n"), "shop: shop.toml:1:8: unknown key `prot`, did you mean `port`?\n");
}

}  // namespace
}  // namespace tern::configuration
