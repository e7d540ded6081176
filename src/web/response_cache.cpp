#include "web/response_cache.hpp"

#include "web/cache_key.hpp"
#include "web/clock.hpp"
#include "web/conditional.hpp"
#include "web/csp_nonce.hpp"
#include "web/field_list.hpp"
#include "web/file_rules.hpp"
#include "web/file_service.hpp"

#include <tern/base/ascii.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/timeout.hpp>
#include <tern/http/exchange.hpp>

#include <algorithm>
#include <ctime>
#include <exception>
#include <stdexcept>
#include <utility>

namespace tern::web {
namespace {

constexpr std::uint64_t refusal_time = 10'000;  // how long the requests for what was not storable do not wait
constexpr std::uint64_t retry_after = 1000;     // a stale response is served so long after a failure
constexpr std::size_t max_vary = 16;

void check(bool valid, const std::string& text) {
  if (!valid) throw std::invalid_argument("cache: " + text);
}

// Hides the conditions of a request from its handler, whose whole response is needed.
class HiddenConditions {
public:
  explicit HiddenConditions(Request& request) : fields_(request.head().fields.items()) {
    if (std::ranges::none_of(fields_, is_condition)) return;
    request.exchange().pin();  // moves the texts, and not those of the copy
    all_ = fields_;
    std::erase_if(fields_, is_condition);
  }
  HiddenConditions(const HiddenConditions&) = delete;
  HiddenConditions& operator=(const HiddenConditions&) = delete;
  ~HiddenConditions() {
    if (!all_.empty()) fields_.swap(all_);
  }

private:
  static bool is_condition(const Field& field) noexcept {
    constexpr std::string_view names[] = {"if-none-match", "if-match", "if-modified-since", "if-unmodified-since"};
    return std::ranges::any_of(names, [&](auto name) { return base::equals_ignoring_case(field.name, name); });
  }

  std::vector<Field>& fields_;
  std::vector<Field> all_;
};

}  // namespace

ResponseCache::ResponseCache(CacheOptions options) : options_(std::move(options)), entries_(options_.max_bytes) {
  check(options_.ttl > Milliseconds(0), "ttl is more than 0");
  for (const Milliseconds duration : {options_.stale_while_revalidate, options_.stale_if_error, options_.max_wait}) {
    check(duration >= Milliseconds(0), "durations are not negative");
  }
  for (const std::string& name : options_.vary) check(base::is_token(name), "'" + name + "' in vary is no field name");
}

// --- Looking ---

Reply ResponseCache::serve(Request& request, Next next) {
  if (Refresh* const own = refresh_of(request)) return Reply(finish(*own, request, next));
  if (bypasses_cache(request)) return next();
  const std::uint64_t now = now_in_milliseconds();
  Wanted wanted{primary_key(request), directives_of(request), now, has_credentials(request, options_)};
  append_field_values(wanted.key, request, options_.vary);
  if (options_.ignore_reload) wanted.directives.forget_freshness();
  std::string key = wanted.key;
  const Entry found = find(key, request);
  if (key.size() > max_key_bytes) return next();
  if (may_serve(found, wanted)) {
    if (is_fresh(found, wanted, now)) return serve_found(found, request, now);
    if (now < found.stale_until && !wanted.directives.limits_freshness()) {
      refresh(request, key, found);
      return serve_found(found, request, now);
    }
  }
  if (wanted.directives.only_if_cached) {
    return Reply(request.exchange().refuse(Problem{Status::GatewayTimeout, "there is no stored response"}));
  }
  if (request.method() == Method::Head || wanted.directives.no_store) {
    ++misses_;
    return next();
  }
  const bool is_private = wanted.has_credentials && !(found.response && found.response->is_public);
  if (is_private || (found.is_refusal() && now < found.fresh_until)) return call(request, next);
  return Reply(fetch(request, next, std::move(wanted)));
}

// Appends the values of the fields in Vary to the key.
ResponseCache::Entry ResponseCache::find(std::string& key, const Request& request) {
  for (int level = 0; level < 2; ++level) {
    Entry found;
    {
      const std::lock_guard lock(mutex_);
      const Entry* const entry = entries_.find(key);
      if (entry == nullptr) return {};
      found = *entry;
    }
    if (found.vary == nullptr) return found;
    append_field_values(key, request, *found.vary);
  }
  return {};
}

bool ResponseCache::may_serve(const Entry& found, const Wanted& wanted) noexcept {
  return found.response != nullptr && (found.response->is_public || !wanted.has_credentials);
}

// What was stored since the request arrived is fresh for it, even if it was never fresh for others.
bool ResponseCache::is_fresh(const Entry& found, const Wanted& wanted, std::uint64_t now) noexcept {
  const StoredResponse& stored = *found.response;
  if (stored.stored_at >= wanted.since) return true;
  const CacheDirectives& asked = wanted.directives;
  if (now >= found.fresh_until || asked.no_cache) return false;
  const std::uint64_t age = stored.first_age + (now - stored.stored_at);
  if (asked.max_age && age > std::uint64_t{*asked.max_age} * 1000) return false;
  return !asked.min_fresh || found.fresh_until - now >= std::uint64_t{*asked.min_fresh} * 1000;
}

Reply ResponseCache::serve_found(const Entry& found, Request& request, std::uint64_t now) {
  ++hits_;
  return Reply(serve_stored(found.response, request, now));
}

// --- Calling the handler ---

// Without a flight.
Reply ResponseCache::call(Request& request, Next next) {
  ++misses_;
  const std::uint64_t clears = clears_;
  return Reply(store_later(request, clears, next()));
}

Task<Response> ResponseCache::store_later(Request& request, std::uint64_t clears, Reply reply) {
  Response response = co_await std::move(reply);
  co_await add_tag(response);
  store(request, response, clears);
  co_return evaluate_conditions(request, std::move(response));
}

Task<Response> ResponseCache::fetch(Request& request, Next next, Wanted wanted) {
  constexpr int max_rounds = 8;  // the keys of responses may change again and again
  for (int round = 0; round < max_rounds; ++round) {
    std::string key = wanted.key;
    find(key, request);
    if (key.size() > max_key_bytes) break;
    Flight flight;
    try {
      flight = co_await enter(key, wanted);
    } catch (const TimedOut&) {
      break;
    }
    std::string found_key = wanted.key;
    Entry found = find(found_key, request);  // another one may have stored it meanwhile
    const std::uint64_t now = now_in_milliseconds();
    if (may_serve(found, wanted) && is_fresh(found, wanted, now)) {
      flight.finish();
      Reply reply = serve_found(found, request, now);
      co_return std::move(reply.response());
    }
    if (found.is_refusal() && now < found.fresh_until) {
      flight.finish();
      break;
    }
    if (!flight.leads()) continue;
    if (found_key == key) {
      co_return co_await lead(request, next, std::move(key), std::move(found), std::move(flight));
    }
    flight.finish();
  }
  Reply reply = call(request, next);
  co_return co_await std::move(reply);
}

// Throws TimedOut.
Task<Flight> ResponseCache::enter(std::string_view key, const Wanted& wanted) {
  Flight flight = flights_.try_enter(key);
  if (flight.leads()) co_return flight;
  const std::uint64_t waited = now_in_milliseconds() - wanted.since;
  const auto most = static_cast<std::uint64_t>(options_.max_wait.count());
  if (waited >= most) throw TimedOut();
  co_return co_await with_timeout(Milliseconds(static_cast<std::int64_t>(most - waited)), flights_.enter(key));
}

Task<Response> ResponseCache::lead(Request& request, Next next, std::string key, Entry stale, Flight flight) {
  ++misses_;
  const std::uint64_t clears = clears_;
  Response response;
  {
    const HiddenConditions hidden(request);
    Reply reply = next();
    response = co_await std::move(reply);
  }
  co_await add_tag(response);
  switch (store(request, response, clears)) {
    case Outcome::Stored: flight.finish(); break;
    case Outcome::NotStorable:
      refuse(key);
      flight.finish();
      break;
    case Outcome::Failed: {
      const std::uint64_t now = now_in_milliseconds();
      if (stale.response == nullptr || now >= stale.error_until || request.stop().stop_requested()) break;
      if (!keep_stale(key, stale, stale.error_until, clears)) break;
      flight.finish();
      Reply reply = serve_found(stale, request, now);
      co_return std::move(reply.response());
    }
    case Outcome::Outdated: break;
  }
  co_return evaluate_conditions(request, std::move(response));  // the flight passes on unless it is finished
}

// --- Storing ---

Task<void> ResponseCache::add_tag(Response& response) {
  if (!options_.etag || !wants_tag(response) || response.content().size() > options_.max_content_bytes) co_return;
  const std::string_view content = response.content();
  if (content.size() <= max_hashed_at_once) {
    response.set("etag", content_tag(content));
    co_return;
  }
  const auto hash = [content] { return content_tag(content); };
  try {
    const std::string tag = co_await offload(hash);
    response.set("etag", tag);
  } catch (const Overloaded&) {  // it has none
  }
}

ResponseCache::Outcome ResponseCache::store(const Request& request, Response& response, std::uint64_t clears) noexcept {
  if (code(response.status()) >= 500) return Outcome::Failed;
  const auto lifetime = lifetime_of(response, options_, std::time(nullptr));
  if (!lifetime || (!lifetime->is_public && has_credentials(request, options_)) || has_used_nonce(request)) {
    return Outcome::NotStorable;
  }
  try {
    for (const std::string& name : options_.vary) add_vary(response, name);
    const auto stored = make_stored(response, request);
    stored->stored_at = now_in_milliseconds();
    stored->first_age = lifetime->age;
    stored->is_public = lifetime->is_public;
    const std::size_t bytes = sizeof(StoredResponse) + size_of(*stored);
    Entry entry{.response = stored, .fresh_until = stored->stored_at + lifetime->fresh};
    entry.stale_until = entry.fresh_until + lifetime->stale_while_revalidate;
    entry.error_until = entry.fresh_until + lifetime->stale_if_error;
    const std::string key = key_for(request, response);
    if (key.empty()) return Outcome::NotStorable;
    const std::lock_guard lock(mutex_);
    if (clears != clears_) return Outcome::Outdated;
    return entries_.put(key, std::move(entry), bytes) ? Outcome::Stored : Outcome::NotStorable;
  } catch (const std::exception&) {  // no memory
    return Outcome::Outdated;
  }
}

// The key with the fields that this response and earlier ones vary by, which it stores. Empty: there are too many.
std::string ResponseCache::key_for(const Request& request, const Response& response) {
  std::string key = primary_key(request);
  append_field_values(key, request, options_.vary);
  std::vector<std::string> names;
  {
    const std::lock_guard lock(mutex_);
    const Entry* const known = entries_.find(key);
    if (known != nullptr && known->vary != nullptr) names = *known->vary;
  }
  const std::size_t before = names.size();
  for_each_element(response, "vary", [&](std::string_view name) {
    const auto is_it = [name](const std::string& each) { return base::equals_ignoring_case(each, name); };
    if (name.empty() || std::ranges::any_of(options_.vary, is_it) || std::ranges::any_of(names, is_it)) return;
    names.emplace_back(name);
  });
  if (names.empty()) return key;
  if (names.size() > max_vary) return {};
  if (names.size() != before) {
    std::size_t bytes = sizeof(names);
    for (const std::string& name : names) bytes += sizeof(name) + name.size();
    put(key, {.vary = std::make_shared<const std::vector<std::string>>(names)}, bytes);
  }
  append_field_values(key, request, names);
  return key.size() > max_key_bytes ? std::string() : key;
}

void ResponseCache::put(std::string_view key, Entry entry, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  entries_.put(key, std::move(entry), bytes);
}

// For a while, requests for this key do not wait for each other.
void ResponseCache::refuse(std::string_view key) noexcept {
  try {
    put(key, {.fresh_until = now_in_milliseconds() + refusal_time}, 0);
  } catch (const std::exception&) {  // no memory: they wait
  }
}

// Serves a stale response for a moment, so that what fails is not asked again with each request. False if it was
// cleared meanwhile, perhaps.
bool ResponseCache::keep_stale(std::string_view key, Entry stale, std::uint64_t until, std::uint64_t clears) noexcept {
  try {
    stale.fresh_until = std::min(now_in_milliseconds() + retry_after, until);
    const std::size_t bytes = sizeof(StoredResponse) + size_of(*stale.response);
    const std::lock_guard lock(mutex_);
    if (clears != clears_) return false;
    entries_.put(key, std::move(stale), bytes);
    return true;
  } catch (const std::exception&) {  // no memory
    return false;
  }
}

// --- Clearing ---

void ResponseCache::clear() {
  const std::lock_guard lock(mutex_);
  ++clears_;
  entries_.clear();
}

std::size_t ResponseCache::clear(std::string_view pattern) {
  const std::lock_guard lock(mutex_);
  ++clears_;
  return entries_.erase_if(
      [pattern](const Entry& entry) { return entry.response && matches_pattern(pattern, entry.response->path); });
}

std::size_t ResponseCache::clear_tag(std::string_view tag) {
  const std::lock_guard lock(mutex_);
  ++clears_;
  return entries_.erase_if([tag](const Entry& entry) {
    return entry.response && std::ranges::find(entry.response->tags, tag) != entry.response->tags.end();
  });
}

CacheCounts ResponseCache::counts() const {
  const std::lock_guard lock(mutex_);
  return {.hits = hits_, .misses = misses_, .responses = entries_.size(), .bytes = entries_.bytes()};
}

}  // namespace tern::web

namespace tern {

Cache::Cache(CacheOptions options) : cache_(new web::ResponseCache(std::move(options))) {
  cache_->add_owner();
}

Cache::Cache(const Cache& other) noexcept : cache_(other.cache_) {
  cache_->add_owner();
}

Cache& Cache::operator=(const Cache& other) noexcept {
  other.cache_->add_owner();
  cache_->remove_owner();
  cache_ = other.cache_;
  return *this;
}

Cache::~Cache() {
  cache_->remove_owner();
}

Reply Cache::operator()(Request& request, Next next) const {
  return cache_->serve(request, next);
}

void Cache::clear() const {
  cache_->clear();
}

std::size_t Cache::clear(std::string_view pattern) const {
  return cache_->clear(pattern);
}

std::size_t Cache::clear_tag(std::string_view tag) const {
  return cache_->clear_tag(tag);
}

CacheCounts Cache::counts() const {
  return cache_->counts();
}

}  // namespace tern
