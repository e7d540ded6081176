#include <tern/redis/bus.hpp>

#include "redis/publisher.hpp"

#include <utility>

namespace tern {

RedisBus::RedisBus(RedisOptions options) : publisher_(base::make_box<Publisher>(std::move(options))) {}

Task<> RedisBus::start(BusHost& host) {
  return publisher_->start(host);
}
PublishStatus RedisBus::publish(const Publication& publication) {
  return publisher_->publish(publication);
}
Task<> RedisBus::stop() {
  return publisher_->stop();
}
std::optional<BusStatistics> RedisBus::statistics() const {
  return publisher_->statistics();
}

void RedisBus::end() noexcept {
  publisher_->end();
}

}  // namespace tern
