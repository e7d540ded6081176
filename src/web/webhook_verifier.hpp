// The signatures of the formats of tern::WebhookFormat.
#pragma once

#include <tern/http/fields.hpp>
#include <tern/web/webhook_signature.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::web {

class WebhookVerifier {
public:
  // See WebhookSignature. Throws SetupError.
  explicit WebhookVerifier(WebhookOptions options);

  // Why the content is refused, literal text for the log; empty: it is signed.
  std::string_view fault_of(const RequestFields& fields, std::string_view content) const;
  // The fields of a sender.
  std::vector<std::pair<std::string, std::string>> sign(std::string_view content, std::string_view id) const;

  std::size_t max_content_bytes() const noexcept { return options_.max_content_bytes; }

private:
  struct Signed;

  std::int64_t now() const;
  Signed read_standard(const RequestFields& fields) const;
  Signed read_stripe(const RequestFields& fields) const;
  Signed read_github(const RequestFields& fields) const;
  Signed read(const RequestFields& fields) const;
  std::string signature(std::string_view key, const Signed& what, std::string_view content) const;

  WebhookOptions options_;
  std::vector<std::string> keys_;
};

}  // namespace tern::web
