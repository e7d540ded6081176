// The background requests that refresh stale responses.
#include "web/conditional.hpp"
#include "web/response_cache.hpp"

#include <tern/base/ascii.hpp>
#include <tern/coro/scope.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/coro/timeout.hpp>
#include <tern/http/log.hpp>
#include <tern/http/memory_exchange.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace tern::web {
namespace {

constexpr Milliseconds max_time = Seconds(60);

// The fields of the client's request without conditions, and without what only concerns the client's cache.
std::vector<std::pair<std::string, std::string>> copied_fields(const Request& request) {
  constexpr std::string_view omitted[] = {
      "if-none-match", "if-match", "if-modified-since", "if-unmodified-since", "if-range", "cache-control",
      "pragma",        "host",     "content-length"};
  std::vector<std::pair<std::string, std::string>> fields = {{"host", std::string(request.host())}};
  for (const Field& field : request.fields()) {
    const auto is_it = [&](std::string_view name) { return base::equals_ignoring_case(field.name, name); };
    if (std::ranges::none_of(omitted, is_it)) fields.emplace_back(field.name, field.value);
  }
  return fields;
}

}  // namespace

// A copy of a client's request, which ends with the client's connection. Owns a part of the cache.
class ResponseCache::Refresh {
public:
  Refresh(ResponseCache& owner, const Request& request, std::string_view its_key, Entry found, Flight its_flight)
      : service(request.exchange().service()),
        exchange(Method::Get, std::string(request.target()), copied_fields(request)),
        key(its_key),
        stale(std::move(found)),
        clears(owner.clears_),
        flight(std::move(its_flight)),
        cache(owner) {
    cache.add_owner();
    exchange.set_scheme(std::string(request.scheme()));
    exchange.set_remote(std::string(request.remote()));
    exchange.set_listener(std::string(request.listener()));
  }
  Refresh(const Refresh&) = delete;
  Refresh& operator=(const Refresh&) = delete;
  ~Refresh() {
    flight = Flight();  // its table is part of the cache
    cache.remove_owner();
  }

  const Service& service;
  MemoryExchange exchange;
  const std::string key;
  const Entry stale;
  const std::uint64_t clears;
  bool is_finished = false;
  Flight flight;
  ResponseCache& cache;
};

struct ResponseCache::RefreshMark {
  Refresh* refresh;
};

ResponseCache::Refresh* ResponseCache::refresh_of(const Request& request) const noexcept {
  const RefreshMark* const mark = request.find<RefreshMark>();
  return mark != nullptr && &mark->refresh->cache == this ? mark->refresh : nullptr;
}

// No effect if one runs, or cannot be started: the stale response is served nevertheless.
void ResponseCache::refresh(Request& request, std::string_view key, const Entry& stale) noexcept {
  const TlsFacts* const tls = request.tls();
  if (tls != nullptr && !tls->client_fingerprint.empty()) return;  // the copy would have no certificate
  try {
    Flight flight = flights_.try_enter(key);
    if (!flight.leads()) return;
    spawn(run(base::make_box<Refresh>(*this, request, key, stale, std::move(flight))));
  } catch (const std::exception&) {  // no memory, or no app that runs
  }
}

Task<void> ResponseCache::run(base::Box<Refresh> refresh) {
  co_await yield();  // after the client's response
  MemoryExchange& exchange = refresh->exchange;
  exchange.request().put(RefreshMark{refresh.get()});
  Response response;
  try {
    Reply reply = refresh->service.serve(exchange);
    response = co_await with_timeout(max_time, std::move(reply));
  } catch (const TimedOut&) {
    exchange.report("a stale response was not refreshed within a minute");
  }
  // Other middleware may have answered before the cache was asked.
  if (!refresh->is_finished) {
    const std::uint64_t until = std::max(refresh->stale.stale_until, refresh->stale.error_until);
    if (refresh->cache.keep_stale(refresh->key, refresh->stale, until, refresh->clears)) refresh->flight.finish();
  }
  for (const std::string& line : exchange.reports()) log(LogLevel::Error, line);
  for (base::Box<coro::Work> work = response.take_after(); work;) {
    co_await work->run();
    base::Box<coro::Work> next = std::move(work->next);
    work = std::move(next);
  }
}

// In the place of a request's way: the response is stored, and not sent.
Task<Response> ResponseCache::finish(Refresh& refresh, Request& request, Next next) {
  ++misses_;
  Reply reply = next();
  Response response = co_await std::move(reply);
  co_await add_tag(response);
  switch (store(request, response, refresh.clears)) {
    case Outcome::Stored: refresh.is_finished = true; break;
    case Outcome::NotStorable:
      refuse(refresh.key);
      refresh.is_finished = true;
      break;
    case Outcome::Failed: break;
    case Outcome::Outdated: refresh.is_finished = true; break;
  }
  if (refresh.is_finished) refresh.flight.finish();
  co_return response;
}

}  // namespace tern::web
