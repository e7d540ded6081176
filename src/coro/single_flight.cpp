#include <tern/coro/single_flight.hpp>

#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tern {
namespace coro {

struct FlightEntry {
  std::string_view key = {};  // that of the table
  List<FlightWait> waiting = {};
};

// Waits are scheduled under the lock: ~FlightWait() takes it before the frame is gone.
class FlightTable {
public:
  // The entry of a flight that the caller leads; null: there was one.
  FlightEntry* begin(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = entries_.try_emplace(std::string(key));
    found->second.key = found->first;
    return is_new ? &found->second : nullptr;
  }

  // False: there is no flight any longer.
  bool add(FlightWait& wait) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(wait.key_);
    if (found == entries_.end()) return false;
    found->second.waiting.push(wait);
    return true;
  }

  // False: it is scheduled already.
  bool remove(FlightWait& wait) noexcept {
    const std::lock_guard lock(mutex_);
    const bool was_waiting = wait.Hook<FlightWait>::linked();
    wait.Hook<FlightWait>::unlink();
    return was_waiting;
  }

  // To the first that waits; without one, the flight ends.
  void pass_on(FlightEntry& entry) noexcept {
    const std::lock_guard lock(mutex_);
    FlightWait* const next = entry.waiting.pop();
    if (next == nullptr) return erase(entry);
    next->entry_ = &entry;
    next->executor().schedule(*next);
  }

  void finish(FlightEntry& entry) noexcept {
    const std::lock_guard lock(mutex_);
    while (FlightWait* wait = entry.waiting.pop()) wait->executor().schedule(*wait);
    erase(entry);
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

private:
  void erase(FlightEntry& entry) noexcept { entries_.erase(entries_.find(entry.key)); }

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const noexcept { return std::hash<std::string_view>()(key); }
  };

  mutable std::mutex mutex_;  // guards the entries, and FlightWait::entry_ of those that wait
  std::unordered_map<std::string, FlightEntry, Hash, std::equal_to<>> entries_;
};

FlightWait::FlightWait(FlightTable& table, std::string_view key) : table_(table), key_(key), entry_(table.begin(key)) {}

FlightWait::~FlightWait() {
  if (waits()) table_.remove(*this);
  if (entry_ != nullptr) table_.pass_on(*entry_);
}

bool FlightWait::enter() noexcept {
  return table_.add(*this);
}

bool FlightWait::leave() noexcept {
  return table_.remove(*this);
}

Flight FlightWait::await_resume() {
  check();
  if (entry_ == nullptr) return {};
  return {table_, *std::exchange(entry_, nullptr)};
}

}  // namespace coro

Flight::~Flight() {
  if (entry_ != nullptr) table_->pass_on(*entry_);
}

void Flight::finish() noexcept {
  if (entry_ != nullptr) table_->finish(*std::exchange(entry_, nullptr));
}

SingleFlight::SingleFlight() : table_(base::make_box<coro::FlightTable>()) {}

SingleFlight::~SingleFlight() = default;

Flight SingleFlight::try_enter(std::string_view key) {
  coro::FlightEntry* const entry = table_->begin(key);
  if (entry == nullptr) return {};
  return {*table_, *entry};
}

std::size_t SingleFlight::size() const {
  return table_->size();
}

}  // namespace tern
