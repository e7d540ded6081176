// For the tests of this room: a configuration with all kinds of members, files, and the environment.
#pragma once

#include "base/test_folder.hpp"

#include <tern/config.hpp>
#include <tern/rules.hpp>

#include <gtest/gtest.h>

#include <stdlib.h>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tern::configuration {

enum class Colour { Red, Green, DarkBlue };

struct Database {
  std::string url;  // required
  std::optional<Secret> password = {};
  int pool_size = 4;
  std::optional<Seconds> timeout = {};
};

struct Backend {
  std::string host;
  std::uint16_t port = 80;
};

struct Shop {
  std::string title = "Shop";
  bool open = true;
  double tax = 0.19;
  Colour colour = Colour::Red;
  std::uint64_t cache_bytes = 1024;
  ByteSize upload = {.bytes = 4096};
  Milliseconds patience = Seconds(30);
  std::vector<std::string> origins = {};
  std::vector<Backend> backends = {};
  std::map<std::string, int> shelves = {};
  Database database = {};
};

// A variable of the environment, for the life of the object.
class Variable {
public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_.c_str()); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

private:
  std::string name_;
};

class ConfigTest : public ::testing::Test {
protected:
  // Returns its path.
  std::string write(const std::string& name, const std::string& content,
                    std::filesystem::perms mode = std::filesystem::perms(0600)) {
    const std::filesystem::path path = folder.path / name;
    std::ofstream(path, std::ios::binary) << content;
    std::filesystem::permissions(path, mode);
    return path;
  }

  template <class T = Shop>
  std::expected<Config<T>, ConfigExit> read(const std::string& toml, std::vector<std::string> arguments = {}) {
    return read_config<T>(std::move(arguments), {.name = "shop", .file = write("shop.toml", toml)});
  }
  // With the name of the folder left out.
  template <class T = Shop>
  std::string faults(const std::string& toml, std::vector<std::string> arguments = {}) {
    const auto config = read<T>(toml, std::move(arguments));
    if (config) return "none";
    EXPECT_EQ(config.error().status, 2);
    std::string text = config.error().faults;
    const std::string prefix = folder.path.string() + "/";
    for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
    return text;
  }

  base::TestFolder folder;
  const std::string required = "database.url = 'sqlite:shop.db'\n";
};

}  // namespace tern::configuration

template <>
struct tern::Rules<tern::configuration::Shop> {
  using S = tern::configuration::Shop;
  static constexpr auto list = tern::rules(
      tern::member<&S::title>(tern::length(1, 20), tern::describe("What customers read")),
      tern::member<&S::tax>(tern::range(0, 1)), tern::member<&S::origins>(tern::items(0, 3)),
      tern::check<&S::cache_bytes>("cache_below_upload", "must not be less than upload",
                                   [](const S& shop) { return shop.cache_bytes >= shop.upload.bytes / 1024; }));
};
