// The options of bench-load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

struct LoadOptions {
  std::uint16_t port = 0;
  std::size_t answer = 0;  // bytes of one answer, head and content
  std::size_t connections = 64;
  std::size_t depth = 1;  // requests pipelined at once on a connection
  std::size_t rate = 0;   // requests a second over all connections; 0: as fast as answers come
  double seconds = 2;
  double warm_up = 0.5;
  bool close = false;  // a connection for each request
  std::string request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
};

// Ends the process with a usage line when the arguments are not understood.
LoadOptions load_options(int argc, char** argv);

}  // namespace bench
