// The flags of bench-server beyond those of the examples: --access-log FILE, --access-format json, --routes N,
// --http2 only, --busy-poll MICROSECONDS.
#pragma once

#include "../../examples/flags.hpp"

#include <vector>

namespace bench {

struct Flags {
  tern::Options options = {};
  int routes = 0;  // additional routes
};

inline Flags flags(int argc, char** argv) {
  Flags flags;
  tern::LogOptions log;
  auto format = tern::AccessLog::Common;
  tern::Http2Options http2;
  unsigned busy_poll = 0;
  std::vector<char*> others = {argv[0]};
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    const auto number = tern::base::parse_integer<std::uint16_t>(value);
    if (flag == "--access-log" && !value.empty()) {
      log.access_file = value;
      ++i;
    } else if (flag == "--access-format" && value == "json") {
      format = tern::AccessLog::Json;
      ++i;
    } else if (flag == "--http2" && value == "only") {
      http2.only = true;
      ++i;
    } else if (flag == "--busy-poll" && number) {
      busy_poll = *number;
      ++i;
    } else if (flag == "--routes" && number) {
      flags.routes = *number;
      ++i;
    } else {
      others.push_back(argv[i]);
    }
  }
  if (!log.access_file.empty()) log.access = format;
  flags.options = examples::options(static_cast<int>(others.size()), others.data());
  flags.options.logging = log;
  flags.options.http2 = http2;
  flags.options.busy_poll_microseconds = busy_poll;
  return flags;
}

}  // namespace bench
