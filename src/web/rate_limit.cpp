#include <tern/web/rate_limit.hpp>

#include "web/rate_table.hpp"

#include <tern/app/app.hpp>
#include <tern/base/ascii.hpp>
#include <tern/http/problem.hpp>
#include <tern/http/store.hpp>

#include <arpa/inet.h>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

namespace tern {
namespace web {
namespace {

constexpr std::uint64_t one_second = 1'000'000'000;  // nanoseconds

std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

std::uint64_t in_seconds(std::uint64_t nanoseconds) {
  return (nanoseconds + one_second - 1) / one_second;
}

// The address; of an IPv6 address its first 64 bits.
std::string network_of(std::string_view address) {
  std::string text(address);
  in6_addr six{};
  if (text.find(':') == text.npos || ::inet_pton(AF_INET6, text.c_str(), &six) != 1) return text;
  if (IN6_IS_ADDR_V4MAPPED(&six)) return text;
  text.resize(8);
  std::memcpy(text.data(), &six, 8);
  return text;
}

std::uint64_t interval_of(const RateLimitOptions& options) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw SetupError(std::string("RateLimit: ") + what);
  };
  require(options.limit > 0 && options.limit <= 1'000'000, "limit is from 1 to 1,000,000");
  require(options.window.count() > 0 && options.window.count() <= 86'400, "window is from one second to a day");
  require(options.max_keys > 0, "max_keys is at least 1");
  const auto fits = [](char c) { return base::is_alpha(c) || base::is_digit(c) || c == '-' || c == '_'; };
  require(!options.name.empty() && std::ranges::all_of(options.name, fits), "name has letters, digits, '-' and '_'");
  require(options.store == nullptr || options.name != "default",
          "a store keeps limits by their names: give this one a name of its own");
  return static_cast<std::uint64_t>(options.window.count()) * one_second / options.limit;
}

bool is_failure(Status status) {
  return status == Status::Unauthorized || status == Status::Forbidden || status == Status::UnprocessableContent;
}

}  // namespace

class RateLimiter {
public:
  explicit RateLimiter(RateLimitOptions options)
      : options_(std::move(options)),
        table_(options_.max_keys, options_.limit, interval_of(options_)),
        policy_('"' + options_.name + "\";q=" + std::to_string(options_.limit) +
                ";w=" + std::to_string(options_.window.count())) {}

  std::string key_of(const Request& request) const {
    return options_.key != nullptr ? options_.key(request) : network_of(request.remote());
  }
  std::size_t cost_of(const Request& request) const { return options_.cost != nullptr ? options_.cost(request) : 1; }
  bool counts_failures() const noexcept { return options_.counts == RateCount::Failures; }

  RateTable& table() const noexcept { return table_; }
  RateStore* store() const noexcept { return options_.store; }
  RateRule rule() const noexcept { return {options_.name, options_.limit, options_.window}; }

  // Without the store. Unset: the request is not limited.
  std::optional<RateOutcome> outcome_without_store(std::string_view key, std::size_t cost) const {
    if (options_.without_store == WithoutStore::CountLocally) return table_.take(key, cost, now());
    if (options_.without_store == WithoutStore::Allow) return std::nullopt;
    HttpError unavailable(Status::ServiceUnavailable, "the service is not available: try again later");
    throw unavailable.set("Retry-After", "1");
  }

  void add_fields(Response& response, const RateTable::Outcome& outcome) const {
    response.add("RateLimit-Policy", policy_);
    response.add("RateLimit", '"' + options_.name + "\";r=" + std::to_string(outcome.remaining) +
                                  ";t=" + std::to_string(in_seconds(outcome.full_in)));
  }

  Response refuse(Request& request, const RateTable::Outcome& outcome) const {
    Problem problem{Status::TooManyRequests, "there were too many requests: try again later", {}, {}};
    problem.fields.set("Retry-After", std::to_string(std::max<std::uint64_t>(in_seconds(outcome.allowed_in), 1)));
    Response response = request.exchange().refuse(problem);
    add_fields(response, outcome);
    return response;
  }

private:
  const RateLimitOptions options_;
  mutable RateTable table_;
  const std::string policy_;
};

}  // namespace web

RateLimit::RateLimit(RateLimitOptions options) : limiter_(base::make_box<web::RateLimiter>(std::move(options))) {}

void RateLimit::describe(Operation& operation) const {
  operation.problem(Status::TooManyRequests, "There were too many requests");
}

namespace web {
namespace {

// The store fails, if this returns: the outcome of the process, or none.
struct Taken {
  std::optional<RateOutcome> outcome;
  bool by_store = false;
};

Task<Taken> take(const RateLimiter& limiter, std::string_view key, std::size_t cost) {
  try {
    const RateRule rule = limiter.rule();
    const RateOutcome outcome = co_await limiter.store()->take(rule, key, cost);
    co_return Taken{outcome, true};
  } catch (const StoreError&) {
  }
  co_return Taken{limiter.outcome_without_store(key, cost), false};
}

// Of a slow request, time has given back a part already. A store takes whole tokens.
Task<RateOutcome> give_back(const RateLimiter& limiter, const Taken& taken, std::string_view key, std::size_t cost,
                            std::uint64_t began) {
  const std::uint64_t left = not_returned_of(*taken.outcome, now() - began);
  if (!taken.by_store) co_return limiter.table().give_back(key, cost, now(), left);
  if (left == 0) co_return *taken.outcome;
  try {
    const RateRule rule = limiter.rule();
    const std::uint64_t interval = static_cast<std::uint64_t>(rule.window.count()) * one_second / rule.limit;
    const std::uint64_t tokens = std::min<std::uint64_t>(cost, (left + interval - 1) / interval);
    co_return co_await limiter.store()->give_back(rule, key, tokens);
  } catch (const StoreError&) {  // it has counted too much
  }
  co_return *taken.outcome;
}

Task<Response> limit_by_store(const RateLimiter& limiter, Request& request, Next next, std::string key,
                              std::size_t cost) {
  const Taken taken = co_await take(limiter, key, cost);
  if (!taken.outcome) co_return co_await next();
  if (!taken.outcome->allowed) co_return limiter.refuse(request, *taken.outcome);
  const std::uint64_t began = now();
  Response response = co_await next();
  RateOutcome outcome = *taken.outcome;
  if (limiter.counts_failures() && !is_failure(response.status())) {
    outcome = co_await give_back(limiter, taken, key, cost, began);
  }
  limiter.add_fields(response, outcome);
  co_return response;
}

}  // namespace
}  // namespace web

Reply RateLimit::operator()(Request& request, Next next) const {
  const web::RateLimiter& limiter = *limiter_;
  std::string key = limiter.key_of(request);
  const std::size_t cost = limiter.cost_of(request);
  if (key.empty() || cost == 0) return next();
  if (limiter.store() != nullptr) {
    request.exchange().pin();  // the request waits for the store
    return Reply(web::limit_by_store(limiter, request, next, std::move(key), cost));
  }
  web::RateTable& table = limiter.table();
  const std::uint64_t began = web::now();
  const auto outcome = table.take(key, cost, began);
  if (!outcome.allowed) return limiter.refuse(request, outcome);
  if (!limiter.counts_failures()) {
    return next().then([&limiter, outcome](Response response) {
      limiter.add_fields(response, outcome);
      return response;
    });
  }
  // Taken before it is known to fail: requests at the same time could exceed the limit otherwise.
  return next().then([&limiter, &table, outcome, key = std::move(key), cost, began](Response response) {
    const bool failed = web::is_failure(response.status());
    const std::uint64_t now = web::now();
    const std::uint64_t left = web::not_returned_of(outcome, now - began);
    limiter.add_fields(response, failed ? outcome : table.give_back(key, cost, now, left));
    return response;
  });
}

}  // namespace tern
