#include <tern/redis/bus.hpp>

#include "redis/keeper.hpp"

#include <utility>

namespace tern {

RedisBus::RedisBus(RedisOptions options) : keeper_(base::make_box<Keeper>(std::move(options))) {}

Task<> RedisBus::start(BusHost& host) {
  return keeper_->start(host);
}
PublishStatus RedisBus::publish(const Publication& publication) {
  return keeper_->publish(publication);
}
Task<> RedisBus::stop() {
  return keeper_->stop();
}
void RedisBus::end() noexcept {
  keeper_->end();
}

}  // namespace tern
