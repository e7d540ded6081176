// RedisBus: several servers act as one by Redis. A library that was built without hiredis (TERN_REDIS) says so at the
// start.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/http/bus.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tern {

struct RedisOptions {
  std::string host = "127.0.0.1";  // an address or a name
  std::uint16_t port = 6379;
  std::string unix_path = {};   // a Unix socket instead
  std::string username = {};    // empty: Redis's default user
  std::string password = {};    // empty: none
  std::string prefix = "tern";  // of the channels; servers with the same are one. Databases make no difference
  std::size_t max_queued =
      4 * 1024 * 1024;                // bytes that are not sent yet, or not acknowledged: what comes then is dropped
  Milliseconds timeout = Seconds(5);  // for a connection to an address; the server's start waits no longer
  Milliseconds ping = Seconds(10);    // Redis is gone when it says nothing for twice as long, or less; zero: never
  Milliseconds retry = Seconds(5);    // at most so long between two tries to connect
};

// Two connections on the first loop of the server, one to publish and one to listen. While Redis cannot be reached,
// publications are queued, and the error log says so once; what others publish meanwhile is lost. Each publication
// arrives at most once.
class RedisBus final : public Bus {
public:
  explicit RedisBus(RedisOptions options = {});
  RedisBus(RedisBus&&) noexcept = default;
  RedisBus& operator=(RedisBus&&) noexcept = default;
  ~RedisBus() override = default;

  // Throws std::invalid_argument when the options cannot be meant.
  Task<> start(BusHost& host) override;
  PublishStatus publish(const Publication& publication) override;
  Task<> stop() override;
  void end() noexcept override;

private:
  class Keeper;
  base::Box<Keeper> keeper_;
};

}  // namespace tern
