#include <tern/app/respond.hpp>

namespace tern::app {
namespace {

// Small text is copied once more when it is sent; large owned text is not.
constexpr std::size_t large = 4096;

Response copied(std::string_view type, std::string_view bytes, Exchange& exchange) {
  if (bytes.size() <= large) return Response::borrowed(type, exchange.arena().copy(bytes));
  return Response::borrowed(type, {}).content(std::string(bytes));
}

}  // namespace

Response text_response(std::string_view text, Exchange& exchange) {
  if (text.size() <= large) return Response::borrowed_text(exchange.arena().copy(text));
  return Response::text(std::string(text));
}

Response bytes_response(std::string_view bytes, Exchange& exchange) {
  std::string whole = exchange.request().take_body(bytes);
  if (!whole.empty()) return Response::borrowed(media::bytes, {}).content(std::move(whole));
  return copied(media::bytes, bytes, exchange);
}

Response json_response(std::string text) {
  return Response::json(std::move(text));
}

Response missing_response(Exchange& exchange) {
  return exchange.refuse({Status::NotFound, "there is no such thing", {}, {}});
}

Response problem_response(const Problem& problem, Exchange& exchange) {
  return exchange.refuse(problem);
}

}  // namespace tern::app
