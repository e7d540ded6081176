// Streams that were closed, and whose sockets must not be yet: when a socket that the kernel seals for is closed, what
// has been sealed and does not fit into TCP's buffer at that moment is lost. Each is looked at until its peer has
// acknowledged what TCP has, so that there is room for the rest; those that take too long are let go.
#pragma once

#include <tern/coro/executor.hpp>

#include <cstdint>
#include <vector>

namespace tern::net {

class Loop;
class Stream;

// Of one loop.
class Departures final : private Timer {
public:
  explicit Departures(Loop& loop) noexcept : loop_(loop) {}
  ~Departures();
  Departures(const Departures&) = delete;
  Departures& operator=(const Departures&) = delete;

  // Keeps `stream`, which is closed, until it may go; then it is in the loop's list of closing streams again. False
  // where there is no memory for it.
  bool keep(Stream& stream) noexcept;
  // Lets all go.
  void end() noexcept;

private:
  struct Departure {
    Stream* stream;
    std::uint64_t latest;
  };

  void on_timer() noexcept override;

  Loop& loop_;
  std::vector<Departure> departures_;
};

}  // namespace tern::net
