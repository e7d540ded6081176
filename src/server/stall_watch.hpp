// A thread that reports loops which do not get to their sockets, with the stack of where they are.
#pragma once

#include "logging/log.hpp"
#include "net/loop.hpp"

#include <tern/base/duration.hpp>

#include <pthread.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tern::server {

// Where the thread of a loop is.
struct Interruption {
  std::string stack;       // the innermost function first, as one line: "name+0x1f (program+0x2a3f) < …"
  std::size_t posted = 0;  // Loop::posted()
};

// Interrupts the thread of a loop by SIGURG. The stack is empty if it does not answer, or the program has a handler of
// its own for that. One call at a time.
Interruption interrupt(pthread_t thread, const net::Loop& loop);

class StallWatch {
public:
  // Reports what takes longer than `limit`, once for each place.
  StallWatch(logging::Log& log, Milliseconds limit);
  ~StallWatch();
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

  // On the thread of the loop, before and after it runs.
  void enter(std::size_t index, const net::Loop& loop);
  void leave(std::size_t index);

  // The stack of a loop; empty if it does not run. From any thread.
  std::string stack_of_loop(std::size_t index);

private:
  struct Watched {
    std::size_t index = 0;
    const net::Loop* loop = nullptr;
    pthread_t thread{};
    std::uint64_t iterations = 0;  // when it was looked at
    std::uint64_t since = 0;       // when that was first seen, in milliseconds
    bool reported = false;
  };

  void run();
  void look(Watched& watched, std::uint64_t now);

  logging::Log& log_;
  const std::uint64_t limit_;
  std::mutex mutex_;  // for what follows
  std::condition_variable changed_;
  std::vector<Watched> watched_;
  std::set<std::string> places_;  // that were reported
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tern::server
