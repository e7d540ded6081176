#include <tern/app/respond.hpp>

namespace tern::app {

Response text_response(std::string_view text, Exchange& exchange) {
  return Response::borrowed(media::text, exchange.arena().copy(text));
}

Response bytes_response(std::string_view bytes, Exchange& exchange) {
  std::string whole = exchange.request().take_body(bytes);
  if (!whole.empty()) return Response::borrowed(media::bytes, {}).content(std::move(whole));
  return Response::borrowed(media::bytes, exchange.arena().copy(bytes));
}

Response json_response(std::string text) {
  return Response::json(std::move(text));
}

Response missing_response(Exchange& exchange) {
  return exchange.service().refuse({Status::NotFound, "there is no such thing", {}, {}});
}

Response problem_response(const Problem& problem, Exchange& exchange) {
  return exchange.service().refuse(problem);
}

}  // namespace tern::app
