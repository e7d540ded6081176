// What a library without hiredis says about a RedisBus.
#include <tern/redis/bus.hpp>

#include <stdexcept>
#include <utility>

namespace tern {

class RedisBus::Keeper {};

RedisBus::RedisBus(RedisOptions) {}

Task<> RedisBus::start(BusHost&) {
  throw std::runtime_error("this library was built without Redis (TERN_REDIS)");
  co_return;
}
PublishStatus RedisBus::publish(const Publication&) {
  return PublishStatus::Dropped;
}
Task<> RedisBus::stop() {
  co_return;
}
void RedisBus::end() noexcept {}

}  // namespace tern
