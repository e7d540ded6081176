// The flags that every example takes: --host H, --port N, --threads N; for TLS
// --certificate FILE and, unless it is in the same file, --key FILE (`tern cert` makes them).
#pragma once

#include <tern/app/options.hpp>
#include <tern/base/number.hpp>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

namespace examples {

// An additional flag of one example.
struct Flag {
  std::string_view name;
  std::string& value;
};

// Ends the process with a usage line if the arguments are invalid.
inline tern::Options options(int argc, char** argv, std::initializer_list<Flag> more = {}) {
  tern::Options options;
  const auto usage = [argv, more] {
    std::string line = " [--host H] [--port N] [--threads N] [--certificate FILE] [--key FILE]";
    for (const Flag& flag : more) line.append(" [").append(flag.name).append(" VALUE]");
    std::fprintf(stderr, "usage: %s%s\n", argv[0], line.c_str());
    std::exit(2);
  };
  const auto takes = [more](std::string_view name, std::string_view value) {
    for (const Flag& one : more) {
      if (one.name != name) continue;
      one.value = value;
      return true;
    }
    return false;
  };
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (i + 1 == argc) usage();
    const std::string_view value = argv[i + 1];
    const auto port = tern::base::parse_integer<std::uint16_t>(value);
    const auto threads = tern::base::parse_integer<std::uint16_t>(value);
    if (flag == "--host") {
      options.host = value;
    } else if (flag == "--port" && port) {
      options.port = *port;
    } else if (flag == "--threads" && threads) {
      options.threads = *threads;
    } else if (flag == "--certificate") {
      options.tls.certificate = value;
    } else if (flag == "--key") {
      options.tls.key = value;
    } else if (!takes(flag, value)) {
      usage();
    }
  }
  return options;
}

}  // namespace examples
