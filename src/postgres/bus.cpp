#include <tern/postgres/bus.hpp>

#include "postgres/publisher.hpp"

#include <utility>

namespace tern {

PostgresBus::PostgresBus(PostgresBusOptions options) : publisher_(base::make_box<Publisher>(std::move(options))) {}

Task<> PostgresBus::start(BusHost& host) {
  return publisher_->start(host);
}
PublishStatus PostgresBus::publish(const Publication& publication) {
  return publisher_->publish(publication);
}
Task<> PostgresBus::stop() {
  return publisher_->stop();
}
std::optional<BusStatistics> PostgresBus::statistics() const {
  return publisher_->statistics();
}

void PostgresBus::end() noexcept {
  publisher_->end();
}

}  // namespace tern
