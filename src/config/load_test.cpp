// The layers: file, environment, command line; secrets; what is printed.
#include "config/config_testing.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tern::configuration {
namespace {

class Layers : public ConfigTest {
protected:
  std::string origin(const Config<Shop>& config, const std::string& path) {
    for (const Setting& setting : config.settings()) {
      if (setting.path == path) return setting.origin.substr(setting.origin.rfind('/') + 1);
    }
    return "no such setting";
  }
};

TEST_F(Layers, go_from_defaults_by_file_and_environment_to_the_command_line) {
  const Variable tax("SHOP_TAX", "0.3");
  const Variable colour("SHOP_COLOUR", "green");
  const auto config = read("title = 'File'\ntax = 0.2\ncolour = 'red'\n" + required, {"--tax", "0.4"});
  ASSERT_TRUE(config) << config.error().faults;
  EXPECT_TRUE((*config)->open);
  EXPECT_EQ((*config)->title, "File");
  EXPECT_EQ((*config)->colour, Colour::Green);
  EXPECT_EQ((*config)->tax, 0.4);
  EXPECT_EQ(origin(*config, "open"), "default");
  EXPECT_EQ(origin(*config, "title"), "shop.toml:1");
  EXPECT_EQ(origin(*config, "colour"), "SHOP_COLOUR");
  EXPECT_EQ(origin(*config, "tax"), "--tax");
}

TEST_F(Layers, name_nested_settings_by_their_path) {
  const Variable size("SHOP_DATABASE_POOL_SIZE", "9");
  const auto config = read(required, {"--database.timeout=2s", "--cache-bytes", "1 MiB"});
  ASSERT_TRUE(config) << config.error().faults;
  EXPECT_EQ((*config)->database.pool_size, 9);
  EXPECT_EQ((*config)->database.timeout, Seconds(2));
  EXPECT_EQ((*config)->cache_bytes, 1024U * 1024);
}

TEST_F(Layers, have_lists_as_repeated_flags_and_with_commas) {
  const auto flags = read("origins = ['z']\n" + required, {"--origins", "a", "--origins=c"});
  ASSERT_TRUE(flags) << flags.error().faults;
  EXPECT_EQ((*flags)->origins, (std::vector<std::string>{"a", "c"}));
  const Variable origins("SHOP_ORIGINS", "x,y");
  const auto variable = read("origins = ['z']\n" + required);
  ASSERT_TRUE(variable) << variable.error().faults;
  EXPECT_EQ((*variable)->origins, (std::vector<std::string>{"x", "y"}));
}

TEST_F(Layers, have_flags_without_a_value_for_booleans) {
  const auto on = read("open = false\n" + required, {"--open", "--title", "x"});
  ASSERT_TRUE(on) << on.error().faults;
  EXPECT_TRUE((*on)->open);
  EXPECT_EQ((*on)->title, "x");
  const auto off = read(required, {"--open", "false"});
  ASSERT_TRUE(off) << off.error().faults;
  EXPECT_FALSE((*off)->open);
  const auto equals = read(required, {"--open=no"});
  ASSERT_TRUE(equals) << equals.error().faults;
  EXPECT_FALSE((*equals)->open);
}

TEST_F(Layers, report_faults_by_the_name_of_the_variable_or_flag) {
  const Variable tax("SHOP_TAX", "much");
  EXPECT_EQ(faults(required), "shop: SHOP_TAX: expected a number, not \"much\"\n");
  EXPECT_EQ(faults(required, {"--patience=1"}),
            "shop: SHOP_TAX: expected a number, not \"much\"\n"
            "shop: --patience: expected a duration with a unit (ms, s, m, h, d), such as \"30s\", not \"1\"\n");
}

TEST_F(Layers, refuse_unknown_flags_and_missing_values) {
  EXPECT_EQ(faults(required, {"--titel", "x"}),
            "shop: unknown option --titel, did you mean --title?\nshop: unexpected argument 'x'\n");
  EXPECT_EQ(faults(required, {"--kitchen=1"}), "shop: unknown option --kitchen: see --help\n");
  EXPECT_EQ(faults(required, {"--title"}), "shop: --title needs a value\n");
  EXPECT_EQ(faults(required, {"-x"}), "shop: unexpected argument '-x': see --help\n");
  EXPECT_EQ(faults(required, {"--version"}), "shop: unknown option --version: see --help\n");
}

TEST_F(Layers, take_the_file_from_the_flag_the_variable_or_the_folder) {
  const std::string other = write("other.toml", "title = 'Other'\n" + required);
  const auto flag = read_config<Shop>({"--config", other}, {.name = "shop"});
  ASSERT_TRUE(flag) << flag.error().faults;
  EXPECT_EQ((*flag)->title, "Other");
  const Variable file("SHOP_CONFIG", other);
  const auto variable = read_config<Shop>({}, {.name = "shop"});
  ASSERT_TRUE(variable) << variable.error().faults;
  EXPECT_EQ((*variable)->title, "Other");
  const auto missing = read_config<Shop>({"--config", "/nowhere/shop.toml"}, {.name = "shop"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().faults, "shop: cannot read /nowhere/shop.toml: No such file or directory\n");
}

TEST_F(Layers, warn_of_variables_that_were_meant) {
  const Variable slip("SHOP_TITEL", "x");
  const Variable other("SHOP_SERVICE_HOST", "10.0.0.1");
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(read(required));
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("SHOP_TITEL, which is no setting, did you mean SHOP_TITLE?"), log.npos) << log;
  EXPECT_EQ(log.find("SERVICE_HOST"), log.npos) << log;
}

class Secrets : public Layers {};

TEST_F(Secrets, come_from_files_that_a_variable_a_flag_or_the_file_names) {
  const std::string path = write("password", "from a file\n");
  {
    const Variable file("SHOP_DATABASE_PASSWORD_FILE", path);
    const auto config = read(required);
    ASSERT_TRUE(config) << config.error().faults;
    EXPECT_EQ((*config)->database.password->reveal(), "from a file");
    EXPECT_EQ(origin(*config, "database.password"), "SHOP_DATABASE_PASSWORD_FILE");
  }
  const auto flag = read(required, {"--database.password-file", path});
  ASSERT_TRUE(flag) << flag.error().faults;
  EXPECT_EQ((*flag)->database.password->reveal(), "from a file");
  const auto file = read("[database]\nurl = 'x'\npassword_file = '" + path + "'\n");
  ASSERT_TRUE(file) << file.error().faults;
  EXPECT_EQ((*file)->database.password->reveal(), "from a file");
}

TEST_F(Secrets, come_from_credentials_of_systemd) {
  write("database.password", "a credential");
  const Variable credentials("CREDENTIALS_DIRECTORY", folder.path);
  const auto config = read(required);
  ASSERT_TRUE(config) << config.error().faults;
  EXPECT_EQ((*config)->database.password->reveal(), "a credential");
}

TEST_F(Secrets, are_refused_on_the_command_line) {
  const std::string text = faults(required, {"--database.password", "hunter2"});
  EXPECT_EQ(text,
            "shop: --database.password: a secret on the command line can be read by other users; use "
            "--database.password-file, or SHOP_DATABASE_PASSWORD_FILE\n");
}

TEST_F(Secrets, of_two_places_are_refused) {
  const Variable file("SHOP_DATABASE_PASSWORD_FILE", write("password", "x"));
  const Variable value("SHOP_DATABASE_PASSWORD", "y");
  EXPECT_EQ(faults(required), "shop: SHOP_DATABASE_PASSWORD and SHOP_DATABASE_PASSWORD_FILE are both set\n");
}

TEST_F(Secrets, in_files_that_everyone_may_write_to_are_refused) {
  const std::string path = write("password", "x", std::filesystem::perms(0666));
  const Variable file("SHOP_DATABASE_PASSWORD_FILE", path);
  EXPECT_EQ(faults(required), "shop: SHOP_DATABASE_PASSWORD_FILE: everyone may write to " + std::string("password") +
                                  ": chmod o-rwx " + "password\n");
}

TEST_F(Secrets, in_files_that_everyone_may_read_are_warned_of) {
  const std::string path = write("password", "x", std::filesystem::perms(0644));
  const Variable file("SHOP_DATABASE_PASSWORD_FILE", path);
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(read(required));
  EXPECT_NE(::testing::internal::GetCapturedStderr().find(path + " has secrets, and everyone may read it"),
            std::string::npos);
}

TEST_F(Secrets, that_are_missing_files_are_faults_without_the_secret) {
  const Variable file("SHOP_DATABASE_PASSWORD_FILE", "/nowhere/password");
  EXPECT_EQ(faults(required),
            "shop: SHOP_DATABASE_PASSWORD_FILE: cannot read /nowhere/password: No such file or directory\n");
}

class Printed : public Layers {
protected:
  std::string output(const std::string& toml, std::vector<std::string> arguments) {
    const auto config = read(toml, std::move(arguments));
    EXPECT_FALSE(config);
    if (config) return {};
    EXPECT_EQ(config.error().status, 0) << config.error().faults;
    EXPECT_EQ(config.error().faults, "");
    std::string text = config.error().output;
    const std::string prefix = folder.path.string() + "/";
    for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
    return text;
  }
};

TEST_F(Printed, check_shows_each_value_with_its_origin_and_hides_secrets) {
  const Variable colour("SHOP_COLOUR", "green");
  const std::string text = output(R"(origins = ["a", "b"]
shelves = { left = 1 }
[database]
url = "postgresql://shop:hunter2@db/shop"
password = "hunter2"
[[backends]]
host = "h"
)",
                                  {"--check", "--tax", "0.5"});
  EXPECT_EQ(text.find("hunter2"), text.npos) << text;
  for (const char* line : {
           "title = \"Shop\"                          # default\n",
           "tax = 0.5                               # --tax\n",
           "colour = \"Green\"                        # SHOP_COLOUR\n",
           "upload = \"4 KiB\"                        # default\n",
           "patience = \"30s\"                        # default\n",
           "origins = [\"a\", \"b\"]                    # shop.toml:1\n",
           "backends = [{ host = \"h\", port = 80 }]  # shop.toml:6\n",
           "shelves = { left = 1 }                  # shop.toml:2\n",
           "\n[database]\n",
           "url = \"postgresql://shop:(hidden)@db/shop\" # shop.toml:4\n",
           "password = \"(hidden)\"                   # shop.toml:5\n",
           "# timeout is not set                    # default\n",
       }) {
    EXPECT_NE(text.find(line), text.npos) << line << "in\n" << text;
  }
}

TEST_F(Printed, check_reports_faults_like_a_start) {
  EXPECT_EQ(faults("titel = 'x'\n" + required, {"--check"}),
            "shop: shop.toml:1:9: unknown key `titel`, did you mean `title`?\n");
}

TEST_F(Printed, help_names_every_way_to_set_a_value) {
  const std::string text = output(required, {"--help"});
  for (const char* line : {
           "Usage: shop [OPTION]...\n",
           "  --title VALUE\n        What customers read. Default: \"Shop\". Environment: SHOP_TITLE.\n",
           "  --open\n        Default: true. Environment: SHOP_OPEN.\n",
           "  --colour VALUE\n        One of Red, Green, DarkBlue. Default: \"Red\". Environment: SHOP_COLOUR.\n",
           "  --database.url VALUE\n        Required. Environment: SHOP_DATABASE_URL.\n",
           "  --database.password-file FILE\n        Environment: SHOP_DATABASE_PASSWORD, "
           "SHOP_DATABASE_PASSWORD_FILE.\n",
           "  backends (only in the file)\n",
       }) {
    EXPECT_NE(text.find(line), text.npos) << line << "in\n" << text;
  }
}

TEST_F(Printed, help_comes_even_if_the_file_is_broken) {
  EXPECT_NE(output("= broken", {"--help"}).find("Usage:"), std::string::npos);
}

TEST_F(Printed, help_of_a_server_describes_all_its_options) {
  const auto config = read<Options>("", {"--help"});
  ASSERT_FALSE(config);
  const std::string& text = config.error().output;
  for (std::size_t at = 0; (at = text.find("\n  --", at)) != std::string::npos; ++at) {
    const std::size_t line = text.find('\n', at + 1) + 1;
    const std::string description = text.substr(line, text.find('\n', line) - line);
    EXPECT_FALSE(description.starts_with("        Default") || description.starts_with("        Environment"))
        << text.substr(at, line - at);
  }
}

TEST_F(Printed, version_is_that_of_the_program) {
  const auto config = read_config<Shop>({"--version"}, {.name = "shop", .version = "1.2"});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().output, "shop 1.2\n");
}

}  // namespace
}  // namespace tern::configuration
