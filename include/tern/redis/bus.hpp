// RedisBus: several servers exchange publications through Redis. In a build without hiredis (TERN_REDIS), start()
// fails.
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
  std::string unix_path = {};  // connects to a Unix socket if set
  std::string username = {};   // empty: Redis's default user
  std::string password = {};   // empty: none
  std::string prefix =
      "tern";  // of the channels; servers with the same prefix exchange publications, also across Redis databases
  std::size_t max_queued =
      4 * 1024 * 1024;  // bytes of unsent and unacknowledged publications; beyond, publications are dropped
  Milliseconds timeout = Seconds(5);  // per address; also limits how long the server's start waits
  Milliseconds ping =
      Seconds(10);  // interval of checks; Redis counts as lost after at most two without an answer. Zero: no checks
  Milliseconds retry = Seconds(5);  // the longest delay between two attempts to connect
};

// Uses two connections on the server's first loop, one to publish and one to subscribe. While Redis is not available,
// publications are queued, the error log says so once, and publications of other servers are lost. Each publication
// arrives at most once.
class RedisBus final : public Bus {
public:
  explicit RedisBus(RedisOptions options = {});
  RedisBus(RedisBus&&) noexcept = default;
  RedisBus& operator=(RedisBus&&) noexcept = default;
  ~RedisBus() override = default;

  // Throws std::invalid_argument for invalid options.
  Task<> start(BusHost& host) override;
  PublishStatus publish(const Publication& publication) override;
  Task<> stop() override;
  void end() noexcept override;

private:
  class Publisher;
  base::Box<Publisher> publisher_;
};

}  // namespace tern
