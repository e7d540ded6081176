// Shared by the load clients: flags, sockets and failure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

using Clock = std::chrono::steady_clock;

Clock::duration duration_of(double seconds);

// Prints the message and errno, and ends the process with failure.
[[noreturn]] void fail(const char* what);

// Prints a progress line that the harness waits for, unbuffered.
void print_line(const char* line);

void take_all_descriptors();

// A blocking socket connected to 127.0.0.1, with TCP_NODELAY.
int connected(std::uint16_t port);

// Calls epoll_ctl: registers `events` of the socket, level-triggered, with `user_data`.
void watch(int poll, int operation, int socket, std::uint32_t events, void* user_data);

// Parses --name VALUE pairs. An unknown name ends the process with the usage line.
class Flags {
public:
  Flags(int argc, char** argv, const char* usage);
  std::size_t number(std::string_view name, std::size_t otherwise);
  std::string_view word(std::string_view name, std::string_view otherwise);
  void finish() const;  // every given flag must have been read
  [[noreturn]] void refuse() const;

private:
  std::vector<std::pair<std::string_view, std::string_view>> given_ = {};
  const char* usage_;
};

}  // namespace bench
