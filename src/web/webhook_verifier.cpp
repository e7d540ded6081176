#include "web/webhook_verifier.hpp"

#include "base/base64.hpp"
#include "web/base64url.hpp"
#include "web/digest.hpp"
#include "web/field_list.hpp"

#include <tern/app/app.hpp>
#include <tern/base/number.hpp>

#include <algorithm>
#include <ctime>
#include <optional>

namespace tern::web {
namespace {

constexpr std::string_view secret_prefix = "whsec_";

std::string decoded_secret(std::string_view secret) {
  if (secret.starts_with(secret_prefix)) secret.remove_prefix(secret_prefix.size());
  while (secret.ends_with('=')) secret.remove_suffix(1);
  std::string text(secret);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  auto key = from_base64url(text);
  if (!key) throw SetupError("WebhookSignature: a secret of the standard format is not base64");
  return std::move(*key);
}

// The value of a field that is there exactly once.
std::optional<std::string_view> single(const RequestFields& fields, std::string_view name) {
  if (fields.count(name) != 1) return std::nullopt;
  return fields.find(name);
}

}  // namespace

// What the fields of a request say.
struct WebhookVerifier::Signed {
  std::string_view id = {};
  std::string_view time = {};                     // as it was sent, which is signed
  std::vector<std::string_view> signatures = {};  // several, while the sender changes its secret
  std::string_view fault = {};                    // why they cannot be read
};

WebhookVerifier::WebhookVerifier(WebhookOptions options) : options_(std::move(options)) {
  if (options_.secrets.empty()) throw SetupError("WebhookSignature: there is no secret");
  if (options_.tolerance < Seconds(1) || options_.tolerance > Seconds(86'400)) {
    throw SetupError("WebhookSignature: tolerance is from one second to a day");
  }
  for (const std::string& secret : options_.secrets) {
    std::string key = options_.format == WebhookFormat::Standard ? decoded_secret(secret) : secret;
    if (key.empty()) throw SetupError("WebhookSignature: a secret is empty");
    keys_.push_back(std::move(key));
  }
}

std::int64_t WebhookVerifier::now() const {
  return options_.now != nullptr ? options_.now() : static_cast<std::int64_t>(std::time(nullptr));
}

// webhook-signature: "v1,<base64> v1,<base64>"; signatures of other versions are ignored.
WebhookVerifier::Signed WebhookVerifier::read_standard(const RequestFields& fields) const {
  const auto id = single(fields, "webhook-id");
  const auto time = single(fields, "webhook-timestamp");
  const auto list = single(fields, "webhook-signature");
  if (!id || id->empty() || !time || !list) return {.fault = "there is no signature"};
  Signed found{.id = *id, .time = *time};
  std::string_view rest = *list;
  while (!rest.empty()) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    if (rest.starts_with("v1,")) found.signatures.push_back(rest.substr(3, blank - 3));
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return found;
}

// "t=1492774577,v1=<hex>,v0=<hex>"; schemes other than v1 are ignored.
WebhookVerifier::Signed WebhookVerifier::read_stripe(const RequestFields& fields) const {
  const auto list = single(fields, "stripe-signature");
  if (!list) return {.fault = "there is no signature"};
  Signed found;
  bool has_two_times = false;
  for_each_element(*list, [&](std::string_view element) {
    if (element.starts_with("v1=")) found.signatures.push_back(element.substr(3));
    if (!element.starts_with("t=")) return;
    has_two_times = !found.time.empty();
    found.time = element.substr(2);
  });
  if (has_two_times) found.fault = "there are two times";
  return found;
}

WebhookVerifier::Signed WebhookVerifier::read_github(const RequestFields& fields) const {
  constexpr std::string_view algorithm = "sha256=";
  const auto value = single(fields, "x-hub-signature-256");
  if (!value || !value->starts_with(algorithm)) return {.fault = "there is no signature"};
  return {.signatures = {value->substr(algorithm.size())}};
}

WebhookVerifier::Signed WebhookVerifier::read(const RequestFields& fields) const {
  switch (options_.format) {
    case WebhookFormat::Standard: return read_standard(fields);
    case WebhookFormat::Stripe: return read_stripe(fields);
    case WebhookFormat::GitHub: return read_github(fields);
  }
  return {.fault = "the format is unknown"};
}

std::string WebhookVerifier::signature(std::string_view key, const Signed& what, std::string_view content) const {
  switch (options_.format) {
    case WebhookFormat::Standard: return base::to_base64(hmac_sha256(key, {what.id, ".", what.time, ".", content}));
    case WebhookFormat::Stripe: return to_hex(hmac_sha256(key, {what.time, ".", content}));
    case WebhookFormat::GitHub: break;
  }
  return to_hex(hmac_sha256(key, {content}));
}

std::string_view WebhookVerifier::fault_of(const RequestFields& fields, std::string_view content) const {
  const Signed found = read(fields);
  if (!found.fault.empty()) return found.fault;
  if (found.signatures.empty()) return "there is no signature";
  if (options_.format != WebhookFormat::GitHub) {
    const auto time = base::parse_integer<std::uint32_t>(found.time);
    if (!time) return "the time is not a number of seconds";
    const std::int64_t age = now() - std::int64_t{*time};
    if (age > options_.tolerance.count()) return "the time is too old";
    if (-age > options_.tolerance.count()) return "the time is in the future";
  }
  bool matches = false;
  for (const std::string& key : keys_) {
    const std::string own = signature(key, found, content);
    for (const std::string_view sent : found.signatures) matches = equal_in_constant_time(sent, own) || matches;
  }
  return matches ? std::string_view() : "the signature is wrong";
}

std::vector<std::pair<std::string, std::string>> WebhookVerifier::sign(std::string_view content,
                                                                       std::string_view id) const {
  const std::string time = std::to_string(now());
  const std::string text = signature(keys_.front(), {.id = id, .time = time}, content);
  switch (options_.format) {
    case WebhookFormat::Standard:
      return {{"webhook-id", std::string(id)}, {"webhook-timestamp", time}, {"webhook-signature", "v1," + text}};
    case WebhookFormat::Stripe: return {{"stripe-signature", "t=" + time + ",v1=" + text}};
    case WebhookFormat::GitHub: break;
  }
  return {{"x-hub-signature-256", "sha256=" + text}, {"x-github-delivery", std::string(id)}};
}

}  // namespace tern::web
