#include "web/idempotency_keys.hpp"

#include "web/clock.hpp"
#include "web/conditional.hpp"
#include "web/digest.hpp"
#include "web/idempotency_record.hpp"
#include "web/read_content.hpp"

#include <tern/app/app.hpp>
#include <tern/app/rejection.hpp>
#include <tern/coro/awaitable.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/http/problem.hpp>
#include <tern/web/open_session.hpp>

#include <algorithm>
#include <utility>

namespace tern::web {
namespace {

constexpr std::string_view key_field = "idempotency-key";
constexpr std::size_t max_key_size = 255;
constexpr Milliseconds time_between_reads = Milliseconds(50);

// A structured field string ("…", RFC 8941), or the same without quotes, as many clients send it. Empty: malformed.
std::string_view key_of(const Request& request) {
  if (request.fields().count(key_field) != 1) return {};
  std::string_view key = *request.field(key_field);
  if (key.size() >= 2 && key.front() == '"' && key.back() == '"') key = key.substr(1, key.size() - 2);
  const auto fits = [](char c) { return c > ' ' && c < '\x7F' && c != '"' && c != '\\' && c != ','; };
  return key.size() <= max_key_size && std::ranges::all_of(key, fits) ? key : std::string_view();
}

// Each part with its size in front, so that no part runs into the next.
std::string hash_of(std::initializer_list<std::string_view> parts) {
  std::string sizes;
  for (const std::string_view part : parts) sizes.append(std::to_string(part.size())).append(" ");
  std::string hashes = sha256({sizes});
  for (const std::string_view part : parts) hashes.append(sha256({part}));
  return sha256({hashes});
}

std::string fingerprint_of(const Request& request) {
  return hash_of({request.method_name(), request.path(), request.query(), request.body()});
}

bool may_be_tried_again(Status status) noexcept {
  return code(status) >= 500 || status == Status::Conflict || status == Status::TooEarly ||
         status == Status::TooManyRequests;
}

Response refusal(const Request& request, Status status, const char* detail, bool later = false) {
  Problem problem{status, detail, {}, {}};
  if (later) problem.fields.set("retry-after", "1");
  return request.exchange().refuse(problem);
}

void report(const Request& request, const char* what, const StoreError& error) {
  request.log(LogLevel::Error, what, {{"why", error.what()}});
}

Task<Response> called(Next next) {
  Reply reply = next();
  co_return co_await std::move(reply);
}

}  // namespace

IdempotencyKeys::IdempotencyKeys(const IdempotencyOptions& options) : options_(options) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw SetupError(std::string("Idempotency: ") + what);
  };
  require(options_.store != nullptr, "there is no store: {.store = &store}");
  require(options_.max_duration >= Milliseconds(1), "max_duration is at least one millisecond");
  require(options_.max_duration <= options_.lifetime, "max_duration is at most the lifetime");
  require(options_.max_wait >= Milliseconds(0), "max_wait is not negative");
}

Reply IdempotencyKeys::serve(Request& request, Next next) const {
  if (request.method() != Method::Post && request.method() != Method::Patch) return next();
  if (!request.field(key_field)) {
    if (!options_.required) return next();
    return refusal(request, Status::BadRequest, "the request needs an Idempotency-Key");
  }
  const std::string_view key = key_of(request);
  if (key.empty()) {
    return refusal(request, Status::BadRequest,
                   "Idempotency-Key is one text of 1 to 255 visible characters without quotes, commas and backslashes");
  }
  return begin(request, next, std::string(key));
}

// The store gets no credentials, and keys of one size. `owner`: of the session.
std::string IdempotencyKeys::store_key(const Request& request, std::string_view owner, std::string_view key) const {
  if (options_.scope != nullptr) return "idempotency:" + to_hex(hash_of({options_.scope(request), key}));
  return "idempotency:" + to_hex(hash_of({request.field("authorization").value_or(""), owner, key}));
}

Task<Response> IdempotencyKeys::begin(Request& request, Next next, std::string key) const {
  const auto read = co_await read_content(request, options_.max_content_bytes);
  if (!read) co_return request.exchange().refuse(to_problem(read.error()));
  std::string owner;
  if (options_.scope == nullptr) {
    auto found = co_await OpenSession::owner_of(request);
    if (!found) co_return request.exchange().refuse(found.error().problem);
    owner = std::move(*found);
  }
  Keyed keyed{request, next, store_key(request, owner, key)};
  const auto hash = [&request] { return fingerprint_of(request); };
  if (request.body().size() > max_hashed_at_once) {
    keyed.fingerprint = co_await offload(hash);
  } else {
    keyed.fingerprint = hash();
  }
  std::optional<Response> answer;
  bool failed = false;
  try {
    answer = co_await claim_or_answer(keyed);
  } catch (const StoreError& error) {
    report(request, "the store of idempotency keys fails", error);
    failed = true;
  }
  if (failed)
    co_return refusal(request, Status::ServiceUnavailable, "idempotency keys cannot be kept at the moment", true);
  if (answer) co_return std::move(*answer);
  // To its end, also when the client is gone: it will ask for the response.
  auto running = run(keyed);
  co_return co_await uncancelled(std::move(running));
}

// Unset: `keyed` has the claim.
Task<std::optional<Response>> IdempotencyKeys::claim_or_answer(Keyed& keyed) const {
  const std::uint64_t until = now_in_milliseconds() + static_cast<std::uint64_t>(options_.max_wait.count());
  const std::string claim = running_record(keyed.fingerprint);
  while (true) {
    const auto version = co_await options_.store->write(keyed.key, claim, options_.max_duration, Store::absent);
    if (version) {
      keyed.version = *version;
      co_return std::nullopt;
    }
    const auto found = co_await options_.store->read(keyed.key);
    if (found) {
      if (auto answer = answer_from(found->value, keyed)) co_return std::move(answer);
    }
    if (now_in_milliseconds() >= until) break;
    co_await sleep_for(time_between_reads);
  }
  co_return refusal(keyed.request, Status::Conflict, "a request with this Idempotency-Key is running", true);
}

// Unset while the request runs.
std::optional<Response> IdempotencyKeys::answer_from(std::string_view record, const Keyed& keyed) const {
  auto found = IdempotencyRecord::parse(record);
  if (!found) throw StoreError("the entry of an idempotency key is no record");
  if (found->fingerprint != keyed.fingerprint) {
    return refusal(keyed.request, Status::UnprocessableContent,
                   "this Idempotency-Key was used for another request: each request has a key of its own");
  }
  switch (found->state) {
    case IdempotencyRecord::State::Running: break;
    case IdempotencyRecord::State::Unrepeatable:
      return refusal(keyed.request, Status::Conflict, "the request was served, and its response cannot be repeated");
    case IdempotencyRecord::State::Responded:
      found->response.set("idempotent-replayed", "true");
      return std::move(found->response);
  }
  return std::nullopt;
}

Task<Response> IdempotencyKeys::run(Keyed& keyed) const {
  Response response = co_await called(keyed.next);
  try {
    co_await settle(keyed, response);
  } catch (const StoreError& error) {
    report(keyed.request, "the response for an idempotency key is not stored", error);
  }
  co_return response;
}

Task<void> IdempotencyKeys::settle(Keyed& keyed, const Response& response) const {
  Store& store = *options_.store;
  if (may_be_tried_again(response.status())) {
    co_await store.erase(keyed.key, keyed.version);
    co_return;
  }
  const bool is_repeatable = response.producer() == nullptr && response.content().size() <= options_.max_response_bytes;
  const std::string record =
      is_repeatable ? response_record(keyed.fingerprint, response) : unrepeatable_record(keyed.fingerprint);
  const auto written = co_await store.write(keyed.key, record, options_.lifetime, keyed.version);
  if (!written) {
    keyed.request.log(LogLevel::Warning, "a request with an idempotency key has run longer than max_duration");
  }
}

}  // namespace tern::web

namespace tern {

Idempotency::Idempotency(const IdempotencyOptions& options) : keys_(base::make_box<web::IdempotencyKeys>(options)) {}

Reply Idempotency::operator()(Request& request, Next next) const {
  return keys_->serve(request, next);
}

}  // namespace tern
