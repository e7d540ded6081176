#include "web/cache_rules.hpp"

#include "web/accept_encoding.hpp"
#include "web/field_list.hpp"
#include "web/http_date.hpp"

#include <tern/app/identity.hpp>
#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>
#include <tern/http/exchange.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace tern::web {
namespace {

constexpr std::uint32_t max_seconds = 1U << 31U;  // section 1.2.2

// delta-seconds, perhaps quoted.
std::uint32_t seconds_of(std::string_view text) noexcept {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  if (text.empty() || !std::ranges::all_of(text, base::is_digit)) return 0;
  return std::min(base::parse_integer<std::uint32_t>(text).value_or(max_seconds), max_seconds);
}

// The first element of the list, which may have commas in quotes.
std::string_view take_directive(std::string_view& list) noexcept {
  bool quoted = false;
  std::size_t at = 0;
  for (; at < list.size() && (quoted || list[at] != ','); ++at) {
    if (list[at] == '"') quoted = !quoted;
    if (quoted && list[at] == '\\') ++at;
  }
  at = std::min(at, list.size());
  const std::string_view taken = list.substr(0, at);
  list.remove_prefix(std::min(at + 1, list.size()));
  return base::trim(taken);
}

bool is_named_by(const CacheOptions& options, std::string_view name) noexcept {
  return std::ranges::any_of(options.vary,
                             [name](const std::string& each) { return base::equals_ignoring_case(each, name); });
}

bool is_storable(Status status) noexcept {
  constexpr Status storable[] = {Status::Ok,
                                 Status::NonAuthoritativeInformation,
                                 Status::NoContent,
                                 Status::MovedPermanently,
                                 Status::PermanentRedirect,
                                 Status::NotFound,
                                 Status::Gone};
  return std::ranges::find(storable, status) != std::end(storable);
}

// Accept-Encoding is part of the key as the set of the codings that we know: who accepts another one has the same key
// as who does not.
bool has_unknown_coding(const Fields& fields) noexcept {
  const auto coding = fields.find("content-encoding");
  return coding && !find_coding(base::trim(*coding));
}

bool forbids_storing(const Response& response, const CacheDirectives& directives) noexcept {
  const Fields& fields = response.fields();
  return directives.no_store || directives.is_private || directives.no_cache || fields.find("set-cookie") ||
         fields.find("content-range") || has_unknown_coding(fields) || has_element(response, "vary", "*");
}

// Explicit freshness in seconds (section 4.2.1).
std::optional<std::uint64_t> announced_lifetime(const Response& response, const CacheDirectives& directives,
                                                std::int64_t now) noexcept {
  if (directives.shared_max_age) return *directives.shared_max_age;
  if (directives.max_age) return *directives.max_age;
  const auto expires = response.fields().find("expires");
  if (!expires) return std::nullopt;
  const auto date = parse_http_date(*expires, now);
  return date && *date > now ? static_cast<std::uint64_t>(*date - now) : 0;
}

std::uint64_t milliseconds_of(Milliseconds duration) noexcept {
  return static_cast<std::uint64_t>(duration.count());
}

}  // namespace

void CacheDirectives::read(std::string_view list) noexcept {
  const auto shorten = [](std::optional<std::uint32_t>& into, std::string_view value) {
    into = std::min(into.value_or(max_seconds), seconds_of(value));  // of two, the more restrictive
  };
  while (!list.empty()) {
    const std::string_view directive = take_directive(list);
    const std::size_t equals = std::min(directive.find('='), directive.size());
    const std::string_view name = base::trim(directive.substr(0, equals));
    const std::string_view value = base::trim(directive.substr(std::min(equals + 1, directive.size())));
    const auto is = [name](std::string_view known) { return base::equals_ignoring_case(name, known); };
    no_store = no_store || is("no-store");
    no_cache = no_cache || is("no-cache");
    is_private = is_private || is("private");
    is_public = is_public || is("public");
    must_revalidate = must_revalidate || is("must-revalidate") || is("proxy-revalidate");
    only_if_cached = only_if_cached || is("only-if-cached");
    if (is("max-age")) shorten(max_age, value);
    if (is("s-maxage")) shorten(shared_max_age, value);
    if (is("min-fresh")) min_fresh = std::max(min_fresh.value_or(0), seconds_of(value));
    if (is("stale-while-revalidate")) shorten(stale_while_revalidate, value);
    if (is("stale-if-error")) shorten(stale_if_error, value);
  }
}

CacheDirectives directives_of(const Request& request) noexcept {
  CacheDirectives directives;
  bool any = false;
  for (const Field& field : request.fields()) {
    if (!base::equals_ignoring_case(field.name, "cache-control")) continue;
    directives.read(field.value);
    any = true;
  }
  // Pragma: no-cache is what HTTP/1.0 had (section 5.4).
  if (!any && request.field("pragma")) directives.read(*request.field("pragma"));
  return directives;
}

CacheDirectives directives_of(const Response& response) noexcept {
  CacheDirectives directives;
  for (const Field& field : response.fields()) {
    if (base::equals_ignoring_case(field.name, "cache-control")) directives.read(field.value);
  }
  return directives;
}

bool bypasses_cache(const Request& request) noexcept {
  if (request.method() != Method::Get && request.method() != Method::Head) return true;
  if (!request.exchange().body_complete() || request.exchange().announced() != 0) return true;
  // A target with a host comes before Host (RFC 9112, section 3.2.2), but a handler may have looked at that.
  if (request.field("host").value_or(request.host()) != request.host()) return true;
  for (const Field& field : request.fields()) {
    for (const std::string_view name : {"range", "transfer-encoding", "upgrade"}) {
      if (base::equals_ignoring_case(field.name, name)) return true;
    }
  }
  return false;
}

bool has_credentials(const Request& request, const CacheOptions& options) noexcept {
  if (options.ignore_credentials) return false;
  bool is_named = false;  // what the identity comes from
  for (const std::string_view name : {"authorization", "cookie"}) {
    if (!request.field(name)) continue;
    if (!is_named_by(options, name)) return true;
    is_named = true;
  }
  // Of an API key, or of a middleware's own proof.
  if (!is_named && app::known_identity(request, nullptr) != nullptr) return true;
  const TlsFacts* const tls = request.tls();
  return tls != nullptr && !tls->client_fingerprint.empty();
}

std::optional<Lifetime> lifetime_of(const Response& response, const CacheOptions& options, std::int64_t now) noexcept {
  const CacheDirectives directives = directives_of(response);
  if (!is_storable(response.status()) || response.producer() != nullptr || forbids_storing(response, directives) ||
      response.content().size() > options.max_content_bytes) {
    return std::nullopt;
  }
  Lifetime lifetime;
  lifetime.fresh = milliseconds_of(options.ttl);
  lifetime.age = std::uint64_t{seconds_of(response.fields().find("age").value_or(""))} * 1000;
  lifetime.is_public = directives.is_public || directives.shared_max_age;
  if (const auto announced = announced_lifetime(response, directives, now)) {
    const std::uint64_t total = *announced * 1000;
    lifetime.fresh = std::min(lifetime.fresh, total > lifetime.age ? total - lifetime.age : 0);
  }
  if (lifetime.fresh == 0) return std::nullopt;
  if (directives.must_revalidate || directives.shared_max_age) return lifetime;  // never served stale (section 4.2.4)
  const auto or_option = [](std::optional<std::uint32_t> seconds, Milliseconds option) {
    return seconds ? std::uint64_t{*seconds} * 1000 : milliseconds_of(option);
  };
  lifetime.stale_while_revalidate = or_option(directives.stale_while_revalidate, options.stale_while_revalidate);
  lifetime.stale_if_error = or_option(directives.stale_if_error, options.stale_if_error);
  return lifetime;
}

}  // namespace tern::web
