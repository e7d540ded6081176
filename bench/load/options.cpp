#include "options.hpp"

#include "client.hpp"

#include <fstream>
#include <iterator>

namespace bench {

LoadOptions load_options(int argc, char** argv) {
  Flags flags(argc, argv,
              "bench-load --port N --answer BYTES [--connections N] [--depth N] [--milliseconds N] "
              "[--warm-up-milliseconds N]\n                  [--request FILE] [--close true|false] [--rate N]");
  LoadOptions options;
  const std::size_t port = flags.number("--port", 0);
  options.port = static_cast<std::uint16_t>(port);
  options.answer = flags.number("--answer", options.answer);
  options.connections = flags.number("--connections", options.connections);
  options.depth = flags.number("--depth", options.depth);
  options.rate = flags.number("--rate", options.rate);
  const std::size_t milliseconds = flags.number("--milliseconds", 2000);
  options.seconds = static_cast<double>(milliseconds) / 1000;
  options.warm_up = static_cast<double>(flags.number("--warm-up-milliseconds", 500)) / 1000;
  const std::string_view close = flags.word("--close", "false");
  options.close = close == "true";
  if (const std::string_view name = flags.word("--request", ""); !name.empty()) {
    std::ifstream file{std::string(name), std::ios::binary};
    options.request.assign(std::istreambuf_iterator<char>(file), {});
    if (!file || options.request.empty()) flags.refuse();
  }
  flags.finish();
  const bool is_wrong = port == 0 || port > 65535 || options.answer == 0 || options.connections == 0 ||
                        options.depth == 0 || milliseconds == 0 || (close != "true" && close != "false") ||
                        ((options.close || options.rate > 0) && options.depth != 1) ||
                        (options.close && options.rate > 0);
  if (is_wrong) flags.refuse();
  return options;
}

}  // namespace bench
