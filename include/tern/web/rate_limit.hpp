// Middleware that limits the rate of requests.
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/http/rate_store.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tern {

namespace web {
class RateLimiter;
}

// What a rate limit counts.
enum class RateCount : std::uint8_t {
  Requests,
  // Responses with 401, 403 and 422, for logins. A request counts until its response shows that it has not failed.
  Failures,
};

// What happens to requests while the store of a rate limit fails.
enum class WithoutStore : std::uint8_t {
  CountLocally,  // this process counts for itself, beginning with full buckets
  Allow,         // they are not limited
  Refuse,        // 503 with Retry-After
};

struct RateLimitOptions {
  std::size_t limit = 100;       // requests of one key
  Seconds window = Seconds(60);  // in this time
  // Whose requests are counted together; null: those of a client's address, or of the /64 network of an IPv6 address.
  // An empty key is not limited. Called by all loops concurrently. A function, or a lambda without captures.
  std::string (*key)(const Request& request) = nullptr;
  // How many requests one counts for, such as 10 for an expensive search; null: 1. 0: not at all.
  std::size_t (*cost)(const Request& request) = nullptr;
  RateCount counts = RateCount::Requests;
  std::string name = "default";   // in the fields, and in the store
  std::size_t max_keys = 65'536;  // that are remembered in this process; 22 bytes each
  // Shares the limit between servers, such as tern::RedisRateStore; null: each process has its own. Must outlive the
  // app.
  RateStore* store = nullptr;
  WithoutStore without_store = WithoutStore::CountLocally;
};

// For an app, a group or a route:
//
//   app.post("/login", login).use(tern::RateLimit({.limit = 5, .window = tern::Seconds(60), .counts =
//   tern::RateCount::Failures}));
//
// A key may send `limit` requests at once, and then as many as the rate gives back (a token bucket). Beyond it, 429
// with Retry-After. Every response has RateLimit-Policy and RateLimit, by which a client can pace itself
// (draft-ietf-httpapi-ratelimit-headers). One RateLimit is one limit for all its routes, on all loops of this process;
// when more than `max_keys` keys are busy, those that will be free soonest are forgotten. With a store, it is one limit
// for all servers whose RateLimit has the same name, limit and window.
//
// Behind a proxy, the client's address is known only if the proxy is trusted: see docs/guide/proxies.md.
class RateLimit {
public:
  // Throws SetupError for a limit, a window or max_keys of zero, a limit above a million, a window of more than a day,
  // a name with other characters than letters, digits, '-' and '_', and for a store without a name of the limit.
  explicit RateLimit(RateLimitOptions options);

  Reply operator()(Request& request, Next next) const;
  void describe(Operation& operation) const;

private:
  base::Box<web::RateLimiter> limiter_;
};

}  // namespace tern
