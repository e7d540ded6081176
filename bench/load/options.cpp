#include "options.hpp"

#include <tern/base/number.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace bench {
namespace {

[[noreturn]] void usage() {
  std::fprintf(stderr,
               "usage: bench-load --port N --answer BYTES [--connections N] [--depth N] [--milliseconds N] "
               "[--warm-up-milliseconds N]\n"
               "                  [--request FILE] [--close true|false]\n");
  std::exit(2);
}

std::string content_of(std::string_view name) {
  std::ifstream file{std::string(name), std::ios::binary};
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file || content.empty()) usage();
  return content;
}

}  // namespace

LoadOptions load_options(int argc, char** argv) {
  LoadOptions options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (i + 1 == argc) usage();
    const std::string_view value = argv[i + 1];
    const auto number = tern::base::parse_integer<std::uint32_t>(value);
    if (flag == "--port" && number && *number <= 65535) {
      options.port = static_cast<std::uint16_t>(*number);
    } else if (flag == "--answer" && number) {
      options.answer = *number;
    } else if (flag == "--connections" && number && *number > 0) {
      options.connections = *number;
    } else if (flag == "--depth" && number && *number > 0) {
      options.depth = *number;
    } else if (flag == "--milliseconds" && number && *number > 0) {
      options.seconds = *number / 1000.0;
    } else if (flag == "--warm-up-milliseconds" && number) {
      options.warm_up = *number / 1000.0;
    } else if (flag == "--request") {
      options.request = content_of(value);
    } else if (flag == "--close" && (value == "true" || value == "false")) {
      options.close = value == "true";
    } else {
      usage();
    }
  }
  if (options.port == 0 || options.answer == 0 || (options.close && options.depth != 1)) usage();
  return options;
}

}  // namespace bench
