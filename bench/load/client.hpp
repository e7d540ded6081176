// What the load clients share: their flags, sockets and the way they end.
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

// Ends the process, saying what went wrong and errno.
[[noreturn]] void fail(const char* what);

// A line that whoever started the client waits for.
void say(const char* line);

void take_all_descriptors();

// To 127.0.0.1, without delaying what is small. Blocking.
int connected(std::uint16_t port);

// Waits for `events` on the socket from now on; `operation` is of epoll_ctl.
void watch(int poll, int operation, int socket, std::uint32_t events, void* told);

// --name VALUE, each name one of those that are asked for. Ends the process with the usage line where one is not.
class Flags {
public:
  Flags(int argc, char** argv, const char* usage);
  std::size_t number(std::string_view name, std::size_t otherwise);
  std::string_view word(std::string_view name, std::string_view otherwise);
  void finish() const;  // all have been asked for
  [[noreturn]] void refuse() const;

private:
  std::vector<std::pair<std::string_view, std::string_view>> given_ = {};
  const char* usage_;
};

}  // namespace bench
