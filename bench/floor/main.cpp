// A lower bound for the cost of a server: it sends one constant answer without parsing, on one thread.
//   bench-floor [--port N] [--threads 1]
#include "answer.hpp"

#include <tern/base/number.hpp>

#include <unistd.h>
#include <csignal>
#include <cstdio>

namespace {

int usage() {
  std::fprintf(stderr, "usage: bench-floor [--port N] [--threads 1]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint16_t port = 0;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    const auto number = tern::base::parse_integer<std::uint16_t>(value);
    if (flag == "--port" && number) {
      port = *number;
    } else if (flag != "--threads" || value != "1") {
      return usage();
    }
  }
  std::signal(SIGTERM, [](int) { _exit(0); });
  const int listener = bench::listen_on(port);
  std::fprintf(stderr, "serving 127.0.0.1:%u\n", port);
  if (bench::serve(listener)) return 0;
  std::perror("bench-floor");
  return 1;
}
