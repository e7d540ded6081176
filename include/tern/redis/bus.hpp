// RedisBus: several servers exchange publications through Redis. In a build without hiredis (TERN_REDIS), start()
// fails.
#pragma once

#include <tern/base/box.hpp>
#include <tern/http/bus.hpp>
#include <tern/redis/options.hpp>

#include <optional>

namespace tern {

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
  std::optional<BusStatistics> statistics() const override;
  void end() noexcept override;

private:
  class Publisher;
  base::Box<Publisher> publisher_;
};

}  // namespace tern
