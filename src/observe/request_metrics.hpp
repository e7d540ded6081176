// The durations and sizes of requests by method, route, status and version of the protocol. Each loop counts its own,
// without sharing.
#pragma once

#include "observe/exposition.hpp"

#include <tern/http/method.hpp>
#include <tern/http/observer.hpp>

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::observe {

class RequestMetrics {
public:
  // In nanoseconds: OpenTelemetry's bounds of http.server.request.duration, behind finer ones for the dashboard.
  static constexpr std::size_t finer = 5;
  static constexpr std::array<std::uint64_t, finer + 14> bounds = {
      100'000,       250'000,       500'000,       1'000'000,     2'500'000,     5'000'000,   10'000'000,
      25'000'000,    50'000'000,    75'000'000,    100'000'000,   250'000'000,   500'000'000, 750'000'000,
      1'000'000'000, 2'500'000'000, 5'000'000'000, 7'500'000'000, 10'000'000'000};

  RequestMetrics() = default;
  ~RequestMetrics();
  RequestMetrics(const RequestMetrics&) = delete;
  RequestMetrics& operator=(const RequestMetrics&) = delete;

  // Once, before the first start. Requests to routes of `hidden_listener` are not counted.
  void set_routes(const std::vector<http::ObservedRoute>& routes, std::string_view hidden_listener);
  // Before the loops run.
  void prepare(std::size_t loops);
  // On a loop's thread. `trace`, if it is not empty, becomes the exemplar of the bucket.
  void count(Exchange& exchange, const http::RequestEnd& end, std::string_view trace) noexcept;

  // From any thread: writes the series of slots `from` on, at most `count` of them. Returns the next slot; size() at
  // the end. The durations and the two sizes are one after the other, each from 0 to size().
  enum class Figure : std::uint8_t { Duration, RequestBytes, ResponseBytes };
  std::size_t write(Exposition& to, Figure figure, std::size_t from, std::size_t count) const;
  std::size_t size() const noexcept { return slots_.size(); }

  static constexpr std::size_t classes = 5;  // 1xx to 5xx
  // Of all loops; from any thread.
  struct Totals {
    std::array<std::uint64_t, bounds.size() + 1> buckets{};
    std::uint64_t nanoseconds = 0;
    std::uint64_t received = 0;  // bytes of contents
    std::uint64_t sent = 0;
    bool any = false;
  };
  Totals totals(std::size_t slot) const;
  const std::string& method_of(std::size_t slot) const { return slots_[slot].method; }
  const std::string& route_of(std::size_t slot) const { return slots_[slot].route; }

private:
  static constexpr std::size_t buckets_shown = bounds.size() + 1 - finer;  // in metrics

  // A status and a version of the protocol; those beyond max_kinds of a slot are one. At least 0, for a comparison.
  struct Kind {
    std::uint16_t status = 0;  // 0: others
    std::uint8_t version = 0;  // index of version_names
    auto operator<=>(const Kind&) const = default;
  };
  static constexpr std::size_t max_kinds = 16;

  // Written by one thread.
  struct Numbers {
    explicit Numbers(Kind counted) noexcept : kind(counted) {}
    const Kind kind;
    std::atomic<Numbers*> next = nullptr;  // another kind of the same slot
    std::array<std::atomic<std::uint64_t>, bounds.size() + 1> buckets{};
    std::atomic<std::uint64_t> nanoseconds = 0;
    std::atomic<std::uint64_t> received = 0;  // bytes of contents
    std::atomic<std::uint64_t> sent = 0;
  };
  // A list for each slot; an item is made by the loop with its first request.
  struct Loop {
    std::vector<std::atomic<Numbers*>> numbers;
  };
  // A method, a route and a class of status.
  struct Slot {
    std::string method;
    std::string route;  // empty: none
  };
  // The first slot of a route's method, and of HEAD. Routes of one pattern, for several hosts for example, share them.
  struct RouteSlots {
    std::size_t own = hidden;
    std::size_t head = hidden;
  };
  static constexpr std::size_t hidden = static_cast<std::size_t>(-1);

  static void add_to(Totals& totals, const Numbers& numbers) noexcept;
  static Kind kind_of(const Exchange& exchange, Status status) noexcept;
  static Numbers* numbers_of(std::atomic<Numbers*>& first, Kind kind) noexcept;
  std::map<Kind, Totals> totals_by_kind(std::size_t slot) const;
  using Exemplars = std::array<Exemplar, buckets_shown>;
  void set_exemplar(std::size_t slot, Kind kind, std::size_t bucket, std::uint64_t nanoseconds,
                    std::string_view trace) noexcept;
  Exemplars exemplars_of(std::size_t slot, Kind kind) const;
  void write_series(Exposition& to, Figure figure, std::size_t slot, Kind kind, const Totals& all) const;
  std::size_t slots_for(std::string_view method, std::string_view route);
  std::size_t slot_of(const Exchange& exchange, Status status) const noexcept;

  std::vector<Slot> slots_;
  std::vector<RouteSlots> routes_;
  std::size_t first_unrouted_ = 0;
  std::vector<std::unique_ptr<Loop>> loops_;
  mutable std::mutex mutex_;                                          // for the next; few requests are traced
  std::map<std::pair<std::size_t, Kind>, Exemplars> exemplars_ = {};  // by slot and kind
};

}  // namespace tern::observe
