#include <tern/web/signed_url.hpp>

#include <tern/http/exchange.hpp>
#include <tern/http/problem.hpp>

namespace tern {
namespace {

constexpr std::string_view signature_name = "signature=";

// The target is the purpose: it is authenticated, and not in the token.
std::string purpose_of_url(std::string_view target) {
  return "url:" + std::string(target);
}

}  // namespace

std::string signed_url(const KeyRing& keys, std::string_view path, Seconds lifetime) {
  std::string url(path);
  url += path.find('?') == path.npos ? '?' : '&';
  return url.append(signature_name).append(keys.sign(purpose_of_url(path), {}, lifetime));
}

bool has_valid_signature(const KeyRing& keys, const Request& request) {
  const std::string_view target = request.target();
  const std::size_t at = target.rfind(signature_name);
  if (at == target.npos || at == 0 || (target[at - 1] != '?' && target[at - 1] != '&')) return false;
  return keys.verify(purpose_of_url(target.substr(0, at - 1)), target.substr(at + signature_name.size())).has_value();
}

Reply require_signed_url(Request& request, State<KeyRing> keys, Next next) {
  if (has_valid_signature(*keys, request)) return next();
  return request.exchange().refuse(Problem{Status::Forbidden, "the URL is not signed, or has expired", {}, {}});
}

}  // namespace tern
