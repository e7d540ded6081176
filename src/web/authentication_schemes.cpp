// The schemes of an Authentication: Basic, Bearer, keys and certificates.
#include "web/credentials.hpp"

#include <tern/app/app.hpp>
#include <tern/base/ascii.hpp>
#include <tern/web/authentication.hpp>

#include <algorithm>

namespace tern::web {
namespace {

constexpr std::size_t max_key_size = 256;

Finding invalid(std::string_view why) noexcept {
  return {Finding::Kind::Invalid, why};
}

class BearerScheme final : public AuthenticationScheme {
public:
  BearerScheme(TokenCheck check, bool is_jwt, bool suspends)
      : check_(std::move(check)), is_jwt_(is_jwt), suspends_(suspends) {}

  Attempt authenticate(Request& request) const override {
    const auto token = credentials_of(request, "bearer");
    if (!token) return Finding{};
    if (!is_bearer_token(*token)) return invalid("the token is malformed");
    return check_(*token, request);
  }
  bool may_suspend() const noexcept override { return suspends_; }
  std::string challenge(std::string_view realm) const override { return "Bearer realm=" + std::string(realm); }
  bool has_error_codes() const noexcept override { return true; }
  std::pair<std::string, std::string> security() const override {
    if (is_jwt_) return {"jwt", R"({"type":"http","scheme":"bearer","bearerFormat":"JWT"})"};
    return {"bearer", R"({"type":"http","scheme":"bearer"})"};
  }

private:
  TokenCheck check_;
  bool is_jwt_;
  bool suspends_;
};

class BasicScheme final : public AuthenticationScheme {
public:
  explicit BasicScheme(PasswordLookup lookup) : lookup_(std::move(lookup)) {}

  Attempt authenticate(Request& request) const override {
    const auto credentials = credentials_of(request, "basic");
    if (!credentials) return Finding{};
    auto decoded = decode_basic(*credentials);
    if (!decoded) return invalid("the credentials are malformed");
    return verify(std::move(decoded->first), std::move(decoded->second), request);
  }
  std::string challenge(std::string_view realm) const override {
    return "Basic realm=" + std::string(realm) + ", charset=\"UTF-8\"";
  }
  std::pair<std::string, std::string> security() const override {
    return {"basic", R"({"type":"http","scheme":"basic"})"};
  }
  bool needs_passwords() const noexcept override { return true; }

private:
  // Keeps the texts.
  Task<Finding> verify(std::string name, std::string password, Request& request) const {
    co_return co_await lookup_(name, password, request);
  }

  PasswordLookup lookup_;
};

class ApiKeyScheme final : public AuthenticationScheme {
public:
  ApiKeyScheme(TokenCheck check, std::string field, bool suspends)
      : check_(std::move(check)), field_(std::move(field)), suspends_(suspends) {
    const auto fits = [](char c) { return base::is_alpha(c) || base::is_digit(c) || c == '-'; };
    if (field_.empty() || !std::ranges::all_of(field_, fits)) {
      throw SetupError("Authentication: api_key() takes a field of letters, digits and '-', not '" + field_ + "'");
    }
  }

  Attempt authenticate(Request& request) const override {
    const auto key = request.field(field_);
    if (!key) return Finding{};
    if (request.fields().count(field_) > 1) return invalid("there are several keys");
    if (key->size() > max_key_size || ApiKey::prefix_of(*key).empty()) return invalid("the key is malformed");
    return check_(*key, request);
  }
  bool may_suspend() const noexcept override { return suspends_; }
  std::string challenge(std::string_view realm) const override {
    return "ApiKey realm=" + std::string(realm) + ", field=\"" + field_ + '"';
  }
  std::pair<std::string, std::string> security() const override {
    const bool is_usual = base::equals_ignoring_case(field_, "x-api-key");
    return {is_usual ? "apiKey" : "apiKey-" + field_, R"({"type":"apiKey","in":"header","name":")" + field_ + "\"}"};
  }

private:
  TokenCheck check_;
  std::string field_;
  bool suspends_;
};

class CertificateScheme final : public AuthenticationScheme {
public:
  CertificateScheme(ClientCheck check, bool suspends) : check_(std::move(check)), suspends_(suspends) {}

  Attempt authenticate(Request& request) const override {
    const TlsFacts* facts = request.tls();
    if (facts == nullptr || facts->client_fingerprint.empty()) return Finding{};
    return check_(*facts, request);
  }
  bool may_suspend() const noexcept override { return suspends_; }
  std::string challenge(std::string_view) const override { return {}; }
  std::pair<std::string, std::string> security() const override {
    return {"clientCertificate", R"({"type":"mutualTLS"})"};
  }

private:
  ClientCheck check_;
  bool suspends_;
};

}  // namespace

base::Box<AuthenticationScheme> bearer_scheme(TokenCheck check, bool is_jwt, bool may_suspend) {
  return base::Box<AuthenticationScheme>(new BearerScheme(std::move(check), is_jwt, may_suspend));
}
base::Box<AuthenticationScheme> basic_scheme(PasswordLookup lookup) {
  return base::Box<AuthenticationScheme>(new BasicScheme(std::move(lookup)));
}
base::Box<AuthenticationScheme> api_key_scheme(TokenCheck check, std::string field, bool may_suspend) {
  return base::Box<AuthenticationScheme>(new ApiKeyScheme(std::move(check), std::move(field), may_suspend));
}
base::Box<AuthenticationScheme> certificate_scheme(ClientCheck check, bool may_suspend) {
  return base::Box<AuthenticationScheme>(new CertificateScheme(std::move(check), may_suspend));
}

Finding invalid_token(JwtError error) noexcept {
  return invalid(to_text(error));
}

const Passwords& passwords_of(const Request& request) {
  const void* passwords = app::find_state(request, &http::type_key<Passwords>);
  if (passwords == nullptr) app::throw_nothing_given(app::type_name<State<Passwords>>());
  return *static_cast<const Passwords*>(passwords);
}

}  // namespace tern::web
