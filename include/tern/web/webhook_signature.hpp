// Middleware that verifies the signatures of webhooks.
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

namespace web {
class WebhookVerifier;
}

// How a sender signs, always by HMAC-SHA-256.
enum class WebhookFormat : std::uint8_t {
  // https://www.standardwebhooks.com: webhook-id, webhook-timestamp and webhook-signature; secrets are base64, perhaps
  // behind "whsec_".
  Standard,
  Stripe,  // Stripe-Signature: t=…,v1=…
  GitHub,  // X-Hub-Signature-256: sha256=…, without a time
};

struct WebhookOptions {
  WebhookFormat format = WebhookFormat::Standard;
  std::vector<std::string> secrets = {};  // all of them verify: for rotation
  Seconds tolerance = Seconds(300);       // between the sender's time and ours, in both directions
  std::size_t max_content_bytes = 1024 * 1024;
  // Seconds since 1970; null: the system's clock. For tests. A function, or a lambda without captures.
  std::int64_t (*now)() = nullptr;
};

// For an app, a group or a route:
//
//   app.post("/hooks/payments", [](tern::Json<Event> event) { … })
//       .use(tern::WebhookSignature({.format = tern::WebhookFormat::Stripe, .secrets = {secret}}));
//
// Reads the content, compares its signature, and refuses it with 401 if it is missing, wrong or too old; the reason is
// in the log. The handler gets the content that was signed, by any extractor. Beyond max_content_bytes: 413. A sender
// repeats deliveries, and who has intercepted one may do so within the tolerance (GitHub: at any time): remember their
// ids where a repetition does harm.
class WebhookSignature {
public:
  // Throws SetupError without a secret, for an empty one or, in the standard format, for one that is not base64, and
  // for a tolerance that is not from 1 second to a day.
  explicit WebhookSignature(WebhookOptions options);

  Reply operator()(Request& request, Next next) const;

private:
  base::Box<web::WebhookVerifier> verifier_;
};

// The fields with which a sender of that format signs `content`, by the first of the secrets; for tests of handlers.
std::vector<std::pair<std::string, std::string>> sign_webhook(const WebhookOptions& options, std::string_view content,
                                                              std::string_view id = "msg_1");

}  // namespace tern
