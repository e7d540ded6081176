#include "net/departures.hpp"

#include "net/loop.hpp"

#include <new>

namespace tern::net {
namespace {

constexpr Milliseconds look_every = Milliseconds(20);
constexpr Milliseconds longest = Seconds(30);

}  // namespace

Departures::~Departures() {
  loop_.disarm(*this);
}

bool Departures::keep(Stream& stream) noexcept {
  try {
    departures_.push_back({&stream, loop_.now() + static_cast<std::uint64_t>(longest.count())});
  } catch (const std::bad_alloc&) {
    return false;
  }
  if (!armed()) loop_.arm(*this, look_every);
  return true;
}

void Departures::on_timer() noexcept {
  std::erase_if(departures_, [this](const Departure& each) {
    if (loop_.now() < each.latest && each.stream->must_wait()) return false;
    each.stream->go();
    return true;
  });
  if (!departures_.empty()) loop_.arm(*this, look_every);
}

void Departures::end() noexcept {
  for (const Departure& each : departures_) each.stream->go();
  departures_.clear();
}

}  // namespace tern::net
