#include <tern/web/etag.hpp>

#include "web/conditional.hpp"

#include <tern/coro/offload.hpp>

#include <string>
#include <utility>

namespace tern {
namespace {

void tag(Response& response, std::string_view strong, bool weak) {
  response.set("etag", weak ? "W/" + std::string(strong) : std::string(strong));
}

// A borrowed content may be part of the request, which moves where the handler did not wait.
Task<Response> tag_on_pool(Request& request, bool weak, Response response) {
  if (response.borrows() && !response.is_static()) {
    const std::string_view type = response.literal_type();
    std::string content(response.content());
    if (!type.empty()) response.set("content-type", type);
    response.content(std::move(content));
  }
  const std::string_view content = response.content();
  const auto hash = [content] { return web::content_tag(content); };
  std::string strong;
  try {
    strong = co_await offload(hash);
  } catch (const Overloaded&) {  // it is sent without a tag
    co_return response;
  }
  tag(response, strong, weak);
  co_return web::evaluate_conditions(request, std::move(response));
}

Reply tag_and_evaluate(Request& request, bool weak, Response response) {
  const bool has_no_content = request.method() == Method::Head && response.content().empty();  // a handler for HEAD
  if (web::wants_tag(response) && !has_no_content) {
    if (response.content().size() > web::max_hashed_at_once) return tag_on_pool(request, weak, std::move(response));
    tag(response, web::content_tag(response.content()), weak);
  }
  return web::evaluate_conditions(request, std::move(response));
}

Task<Response> tag_later(Request& request, bool weak, Reply reply) {
  Response response = co_await std::move(reply);
  Reply tagged = tag_and_evaluate(request, weak, std::move(response));
  co_return co_await std::move(tagged);
}

}  // namespace

Reply ETag::operator()(Request& request, Next next) const {
  if (request.method() != Method::Get && request.method() != Method::Head) return next();
  Reply reply = next();
  if (reply.ready()) return tag_and_evaluate(request, options_.weak, std::move(reply.response()));
  return tag_later(request, options_.weak, std::move(reply));
}

}  // namespace tern
