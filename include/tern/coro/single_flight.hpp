// SingleFlight: of several coroutines that need the same work, one does it, and the others wait for it.
#pragma once

#include <tern/base/box.hpp>
#include <tern/coro/waiter.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace tern {

class Flight;
class SingleFlight;

namespace coro {

class FlightTable;
struct FlightEntry;

class FlightWait final : public Waiter, public Hook<FlightWait> {
public:
  FlightWait(FlightTable& table, std::string_view key);
  ~FlightWait();
  Flight await_resume();

private:
  friend class FlightTable;
  const char* what() const noexcept override { return "single flight"; }
  bool ready() noexcept override { return entry_ != nullptr; }
  bool enter() noexcept override;
  bool leave() noexcept override;

  FlightTable& table_;
  std::string_view key_;
  FlightEntry* entry_ = nullptr;  // of the flight that this leads; while this waits, the table writes it
};

}  // namespace coro

// The part of one coroutine in a flight: it does the work, or has waited for it.
class [[nodiscard]] Flight {
public:
  Flight() noexcept = default;
  Flight(Flight&& other) noexcept : table_(other.table_), entry_(std::exchange(other.entry_, nullptr)) {}
  Flight& operator=(Flight&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(entry_, other.entry_);
    return *this;
  }
  // If it leads and the work is not finished, the coroutine that has waited longest leads next.
  ~Flight();

  // Whether this coroutine does the work, and the others wait until it is finished or this object is destroyed.
  bool leads() const noexcept { return entry_ != nullptr; }
  // All who wait go on; none of them leads. No effect if it does not lead.
  void finish() noexcept;

private:
  friend class SingleFlight;
  friend class coro::FlightWait;
  Flight(coro::FlightTable& table, coro::FlightEntry& entry) noexcept : table_(&table), entry_(&entry) {}

  coro::FlightTable* table_ = nullptr;
  coro::FlightEntry* entry_ = nullptr;
};

// From any thread; the coroutines of one key may belong to several loops. Must outlive all waits and flights.
//
//   tern::Flight flight = co_await flights.enter(key);
//   if (flight.leads()) {
//     results.put(key, co_await compute(key));  // if this throws, another leads
//     flight.finish();
//   }
class SingleFlight {
public:
  SingleFlight();
  SingleFlight(const SingleFlight&) = delete;
  SingleFlight& operator=(const SingleFlight&) = delete;
  ~SingleFlight();

  struct [[nodiscard]] Enter {
    coro::FlightWait operator co_await() const { return coro::FlightWait(table, key); }
    coro::FlightTable& table;
    std::string_view key;
  };
  // co_await flights.enter(key): leads at once if there is no flight for the key; otherwise waits until that is
  // finished, or passes to this coroutine because its leader has failed. The key must live until the await ends. Throws
  // Cancelled if the coroutine is stopped. For combinations: with_timeout(d, flights.enter(key)).
  Enter enter(std::string_view key) noexcept { return {*table_, key}; }
  // The same without waiting: if there is a flight, the result does not lead.
  Flight try_enter(std::string_view key);

  // Keys with a flight.
  std::size_t size() const;

private:
  base::Box<coro::FlightTable> table_;
};

}  // namespace tern
