#include "observe/request_metrics.hpp"

#include <tern/http/exchange.hpp>

#include <algorithm>
#include <chrono>
#include <new>
#include <span>
#include <utility>

namespace tern::observe {
namespace {

// The methods that a request without a route is counted by; everything else is "_OTHER", as OpenTelemetry says.
constexpr std::array<Method, 10> known = {Method::Get,     Method::Head,   Method::Post,    Method::Put,
                                          Method::Patch,   Method::Delete, Method::Options, Method::Query,
                                          Method::Connect, Method::Trace};

constexpr std::array<std::string_view, 4> version_names = {"", "1.0", "1.1", "2"};  // the first: unknown
constexpr std::array<std::string_view, 5> class_names = {"1xx", "2xx", "3xx", "4xx", "5xx"};

void add(std::atomic<std::uint64_t>& number, std::uint64_t more) noexcept {
  number.store(number.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

}  // namespace

RequestMetrics::~RequestMetrics() {
  for (const auto& loop : loops_) {
    for (const std::atomic<Numbers*>& first : loop->numbers) {
      for (const Numbers* numbers = first.load(); numbers != nullptr;)
        delete std::exchange(numbers, numbers->next.load());
    }
  }
}

// Quadratic in the number of routes, once, over a few thousand at most.
std::size_t RequestMetrics::slots_for(std::string_view method, std::string_view route) {
  for (std::size_t first = 0; first < slots_.size(); first += classes) {
    if (slots_[first].route == route && slots_[first].method == method) return first;
  }
  slots_.insert(slots_.end(), classes, Slot{std::string(method), std::string(route)});
  return slots_.size() - classes;
}

void RequestMetrics::set_routes(const std::vector<http::ObservedRoute>& routes, std::string_view hidden_listener) {
  for (const http::ObservedRoute& route : routes) {
    RouteSlots& of_route = routes_.emplace_back();
    if (!hidden_listener.empty() && route.listener == hidden_listener) continue;
    of_route = {slots_for(route.method, route.pattern), slots_for(method_name(Method::Head), route.pattern)};
  }
  first_unrouted_ = slots_.size();
  for (const Method method : known) slots_.insert(slots_.end(), classes, Slot{std::string(method_name(method)), {}});
  slots_.insert(slots_.end(), classes, Slot{"_OTHER", {}});
}

void RequestMetrics::prepare(std::size_t loops) {
  while (loops_.size() < loops) {
    loops_.push_back(std::make_unique<Loop>());
    loops_.back()->numbers = std::vector<std::atomic<Numbers*>>(slots_.size());
  }
}

std::size_t RequestMetrics::slot_of(const Exchange& exchange, Status status) const noexcept {
  const Request& request = const_cast<Exchange&>(exchange).request();
  const auto status_class = std::clamp<std::size_t>(static_cast<std::size_t>(code(status)) / 100, 1, classes) - 1;
  if (request.route().empty()) {
    // A request that could not be parsed has no target.
    const auto place = request.target().empty() ? known.end() : std::ranges::find(known, request.method());
    return first_unrouted_ + static_cast<std::size_t>(place - known.begin()) * classes + status_class;
  }
  const RouteSlots& route = routes_[request.route_index()];
  const std::size_t first = request.method() == Method::Head ? route.head : route.own;
  return first == hidden ? hidden : first + status_class;
}

RequestMetrics::Kind RequestMetrics::kind_of(const Exchange& exchange, Status status) noexcept {
  const Request& request = const_cast<Exchange&>(exchange).request();
  const std::size_t version = request.target().empty() ? 0 : static_cast<std::size_t>(request.version()) + 1;
  return {static_cast<std::uint16_t>(code(status)), static_cast<std::uint8_t>(version)};
}

// Null: there is no memory for another kind.
RequestMetrics::Numbers* RequestMetrics::numbers_of(std::atomic<Numbers*>& first, Kind kind) noexcept {
  std::atomic<Numbers*>* place = &first;
  std::size_t count = 0;
  while (Numbers* const numbers = place->load(std::memory_order_relaxed)) {
    if (numbers->kind == kind || numbers->kind == Kind()) return numbers;
    place = &numbers->next;
    ++count;
  }
  auto* const made = new (std::nothrow) Numbers(count < max_kinds ? kind : Kind());
  place->store(made, std::memory_order_release);
  return made;
}

void RequestMetrics::set_exemplar(std::size_t slot, Kind kind, std::size_t bucket, std::uint64_t nanoseconds,
                                  std::string_view trace) noexcept {
  try {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::lock_guard lock(mutex_);
    exemplars_[{slot, kind}][bucket] = {std::string(trace), static_cast<double>(nanoseconds) * 1e-9,
                                        std::chrono::duration<double>(now).count()};
  } catch (const std::bad_alloc&) {
  }
}

RequestMetrics::Exemplars RequestMetrics::exemplars_of(std::size_t slot, Kind kind) const {
  const std::lock_guard lock(mutex_);
  const auto found = exemplars_.find({slot, kind});
  return found == exemplars_.end() ? Exemplars() : found->second;
}

void RequestMetrics::count(Exchange& exchange, const http::RequestEnd& end, std::string_view trace) noexcept {
  if (exchange.loop_index() >= loops_.size()) return;
  const std::size_t slot = slot_of(exchange, end.status);
  if (slot == hidden) return;
  Numbers* const numbers = numbers_of(loops_[exchange.loop_index()]->numbers[slot], kind_of(exchange, end.status));
  if (numbers == nullptr) return;
  std::size_t bucket = 0;
  while (bucket < bounds.size() && end.nanoseconds > bounds[bucket]) ++bucket;
  add(numbers->buckets[bucket], 1);
  add(numbers->nanoseconds, end.nanoseconds);
  if (end.received != 0) add(numbers->received, end.received);
  add(numbers->sent, end.bytes);
  if (!trace.empty()) set_exemplar(slot, numbers->kind, std::max(bucket, finer) - finer, end.nanoseconds, trace);
}

void RequestMetrics::add_to(Totals& totals, const Numbers& numbers) noexcept {
  totals.any = true;
  for (std::size_t i = 0; i < totals.buckets.size(); ++i)
    totals.buckets[i] += numbers.buckets[i].load(std::memory_order_relaxed);
  totals.nanoseconds += numbers.nanoseconds.load(std::memory_order_relaxed);
  totals.received += numbers.received.load(std::memory_order_relaxed);
  totals.sent += numbers.sent.load(std::memory_order_relaxed);
}

RequestMetrics::Totals RequestMetrics::totals(std::size_t slot) const {
  Totals totals;
  for (const auto& loop : loops_) {
    for (const Numbers* one = loop->numbers[slot].load(std::memory_order_acquire); one != nullptr;
         one = one->next.load(std::memory_order_acquire)) {
      add_to(totals, *one);
    }
  }
  return totals;
}

std::map<RequestMetrics::Kind, RequestMetrics::Totals> RequestMetrics::totals_by_kind(std::size_t slot) const {
  std::map<Kind, Totals> totals;
  for (const auto& loop : loops_) {
    for (const Numbers* one = loop->numbers[slot].load(std::memory_order_acquire); one != nullptr;
         one = one->next.load(std::memory_order_acquire)) {
      add_to(totals[one->kind], *one);
    }
  }
  return totals;
}

std::size_t RequestMetrics::write(Exposition& to, Figure figure, std::size_t from, std::size_t count) const {
  const std::size_t end = std::min(from + count, slots_.size());
  for (std::size_t slot = from; slot < end; ++slot) {
    for (const auto& [kind, all] : totals_by_kind(slot)) write_series(to, figure, slot, kind, all);
  }
  return end;
}

void RequestMetrics::write_series(Exposition& to, Figure figure, std::size_t slot, Kind kind, const Totals& all) const {
  static constexpr auto seconds = [] {
    std::array<double, buckets_shown - 1> bounds_in_seconds{};
    std::ranges::transform(std::span(bounds).subspan(finer), bounds_in_seconds.begin(),
                           [](std::uint64_t one) { return static_cast<double>(one) * 1e-9; });
    return bounds_in_seconds;
  }();
  const std::string status = kind == Kind() ? "_OTHER" : std::to_string(kind.status);
  const std::array<http::FigureLabel, 5> labels = {http::FigureLabel{"http_request_method", slots_[slot].method},
                                                   {"http_route", slots_[slot].route},
                                                   {"http_response_status_class", class_names[slot % classes]},
                                                   {"http_response_status_code", status},
                                                   {"network_protocol_version", version_names[kind.version]}};
  switch (figure) {
    case Figure::Duration: {
      std::array<std::uint64_t, buckets_shown> buckets{};
      for (std::size_t i = 0; i < all.buckets.size(); ++i) buckets[std::max(i, finer) - finer] += all.buckets[i];
      to.family(MetricKind::Histogram, "http_server_request_duration_seconds",
                "Time from the complete head of a request to its complete response.");
      to.buckets(seconds, buckets, static_cast<double>(all.nanoseconds) * 1e-9, labels, exemplars_of(slot, kind));
      break;
    }
    case Figure::RequestBytes:
      to.family(MetricKind::Counter, "http_server_request_body_bytes", "Bytes of the contents of requests.");
      to.value(static_cast<double>(all.received), labels);
      break;
    case Figure::ResponseBytes:
      to.family(MetricKind::Counter, "http_server_response_body_bytes", "Bytes of the contents of responses.");
      to.value(static_cast<double>(all.sent), labels);
      break;
  }
}

}  // namespace tern::observe
