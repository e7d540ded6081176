// What the copies of a Redis share: its options, and the connections of the loops.
#pragma once

#include <tern/redis/client.hpp>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace tern::redis {

class LoopClient;

class Client {
public:
  explicit Client(RedisOptions options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;

  // Of the calling thread's loop. Null, if there is no loop. Throws std::bad_alloc.
  LoopClient* of_this_loop();
  // The loop of `ended` does not run any more.
  void remove(LoopClient& ended) noexcept;

  const RedisOptions& options() const noexcept { return options_; }
  const std::string& name() const noexcept { return name_; }

private:
  ~Client();

  const RedisOptions options_;
  const std::string name_;
  std::atomic<std::size_t> references_ = 1;
  std::mutex mutex_;  // guards the vector, not the objects, which belong to their loops
  std::vector<LoopClient*> loops_;
};

}  // namespace tern::redis
