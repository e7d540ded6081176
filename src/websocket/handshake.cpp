#include "websocket/handshake.hpp"

#include "base/base64.hpp"
#include "websocket/deflate.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/sha1.hpp>

#include <algorithm>
#include <vector>

namespace tern::websocket {
namespace {

using base::equals_ignoring_case;

constexpr std::string_view version = "13";

Problem refusal(Status status, std::string detail) {
  return Problem{status, std::move(detail), {}, {}};
}

Problem upgrade_required(std::string detail) {
  Problem problem = refusal(Status::UpgradeRequired, std::move(detail));
  problem.fields.set("Upgrade", "websocket");
  problem.fields.set("Sec-WebSocket-Version", version);
  return problem;
}

// Calls f for each element of the comma-separated lists in the fields of that name, until it returns true.
template <class F>
bool any_member(const RequestFields& fields, std::string_view name, F f) {
  for (const Field& field : fields) {
    if (!equals_ignoring_case(field.name, name)) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (f(base::trim(rest.substr(0, comma)))) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

bool lists(const RequestFields& fields, std::string_view name, std::string_view member) {
  return any_member(fields, name, [member](std::string_view one) { return equals_ignoring_case(one, member); });
}

// 16 bytes in Base64: 22 characters, the last of which has four significant bits, and "==".
bool is_key(std::string_view key) noexcept {
  constexpr std::string_view last = "AQgw";
  const auto is_base64 = [](char c) { return base::is_alpha(c) || base::is_digit(c) || c == '+' || c == '/'; };
  return key.size() == 24 && key.ends_with("==") && std::ranges::all_of(key.substr(0, 22), is_base64) &&
         last.find(key[21]) != std::string_view::npos;
}

// host[:port] without the default port of http or https.
std::string_view without_default_port(std::string_view authority) noexcept {
  for (const std::string_view port : {":80", ":443"}) {
    if (authority.ends_with(port)) return authority.substr(0, authority.size() - port.size());
  }
  return authority;
}

std::optional<Problem> check_upgrade(const Request& request) {
  const RequestFields& fields = request.fields();
  if (!lists(fields, "Upgrade", "websocket") || !lists(fields, "Connection", "upgrade")) {
    return upgrade_required("this is a WebSocket");
  }
  if (request.method() != Method::Get) return refusal(Status::MethodNotAllowed, "a WebSocket begins with a GET");
  if (request.version() != Version::Http11) return refusal(Status::BadRequest, "a WebSocket begins on HTTP/1.1");
  if (fields.count("Sec-WebSocket-Version") > 1) return refusal(Status::BadRequest, "two Sec-WebSocket-Version");
  if (fields.find("Sec-WebSocket-Version") != version) return upgrade_required("the version of WebSocket here is 13");
  if (fields.count("Sec-WebSocket-Key") != 1 || !is_key(*fields.find("Sec-WebSocket-Key"))) {
    return refusal(Status::BadRequest, "Sec-WebSocket-Key must be there once and have 16 bytes in Base64");
  }
  return std::nullopt;
}

// An extended CONNECT (RFC 8441, section 5): HTTP/2 has validated :protocol, and there is no key.
std::optional<Problem> check_connect(const Request& request) {
  if (request.method() != Method::Connect) {
    return refusal(Status::BadRequest, "over HTTP/2, a WebSocket begins with an extended CONNECT (RFC 8441)");
  }
  const RequestFields& fields = request.fields();
  if (fields.count("Sec-WebSocket-Version") == 1 && fields.find("Sec-WebSocket-Version") == version) {
    return std::nullopt;
  }
  Problem problem = refusal(Status::BadRequest, "the version of WebSocket here is 13");
  problem.fields.set("Sec-WebSocket-Version", version);
  return problem;
}

// In the server's order of preference (RFC 6455, section 4.2.2, leaves it open).
std::string_view choose_protocol(const RequestFields& fields, std::span<const std::string> ours) {
  for (const std::string& one : ours) {
    const auto is_it = [&one](std::string_view offered) { return offered == one; };
    if (any_member(fields, "Sec-WebSocket-Protocol", is_it)) return one;
  }
  return {};
}

}  // namespace

std::string accept_key(std::string_view key) {
  const auto digest = base::sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  return base::to_base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

bool is_allowed_origin(std::string_view origin, std::string_view host, std::span<const std::string> allowed) noexcept {
  const auto fits = [origin](std::string_view one) { return one == "*" || equals_ignoring_case(one, origin); };
  if (std::ranges::any_of(allowed, fits)) return true;
  const std::size_t colon = origin.find("://");
  if (colon == std::string_view::npos) return false;  // "null": a page with an opaque origin
  return equals_ignoring_case(without_default_port(origin.substr(colon + 3)), without_default_port(host));
}

std::expected<Handshake, Problem> negotiate(const Request& request, const HandshakeRules& rules, Fields& fields) {
  const bool by_connect = request.version() == Version::Http2;
  if (auto refused = by_connect ? check_connect(request) : check_upgrade(request)) {
    return std::unexpected(std::move(*refused));
  }
  const RequestFields& asked = request.fields();
  const std::size_t origins = asked.count("Origin");
  if (origins > 1) return std::unexpected(refusal(Status::BadRequest, "two Origin"));
  if (origins == 1 && !is_allowed_origin(*asked.find("Origin"), request.host(), rules.origins)) {
    return std::unexpected(refusal(Status::Forbidden, "pages of this origin may not connect"));
  }
  std::vector<std::string_view> extensions;
  for (const Field& field : asked) {
    if (equals_ignoring_case(field.name, "Sec-WebSocket-Extensions")) extensions.push_back(field.value);
  }
  DeflateConfig config = rules.deflate;
  config.enabled = config.enabled && deflate_available();
  auto parameters = negotiate_deflate(extensions, config);
  if (!parameters) return std::unexpected(refusal(Status::BadRequest, "malformed Sec-WebSocket-Extensions"));
  Handshake agreed;
  agreed.deflate = *parameters;
  agreed.protocol = choose_protocol(asked, rules.protocols);
  if (!by_connect) fields.set("Sec-WebSocket-Accept", accept_key(*asked.find("Sec-WebSocket-Key")));
  if (!agreed.protocol.empty()) fields.set("Sec-WebSocket-Protocol", agreed.protocol);
  if (agreed.deflate) fields.set("Sec-WebSocket-Extensions", to_extension(*agreed.deflate));
  return agreed;
}

}  // namespace tern::websocket
