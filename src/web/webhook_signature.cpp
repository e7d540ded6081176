#include <tern/web/webhook_signature.hpp>

#include "web/conditional.hpp"
#include "web/read_content.hpp"
#include "web/webhook_verifier.hpp"

#include <tern/coro/offload.hpp>
#include <tern/http/problem.hpp>

namespace tern {
namespace {

// Large contents are hashed on the thread pool.
Task<Response> verify_and_serve(Request& request, Next next, const web::WebhookVerifier& verifier) {
  const auto read = co_await web::read_content(request, verifier.max_content_bytes());
  if (!read) co_return request.exchange().refuse(to_problem(read.error()));
  const auto verify = [&] { return verifier.fault_of(request.fields(), request.body()); };
  std::string_view fault;
  if (request.body().size() > web::max_hashed_at_once) {
    fault = co_await offload(verify);
  } else {
    fault = verify();
  }
  if (!fault.empty()) {
    request.log(LogLevel::Warning, "a webhook is refused", {{"why", fault}, {"by", request.remote()}});
    const Problem problem{Status::Unauthorized, "the signature of the content is not valid", {}, {}};
    co_return request.exchange().refuse(problem);
  }
  Reply reply = next();
  co_return co_await std::move(reply);
}

}  // namespace

WebhookSignature::WebhookSignature(WebhookOptions options)
    : verifier_(base::make_box<web::WebhookVerifier>(std::move(options))) {}

Reply WebhookSignature::operator()(Request& request, Next next) const {
  return verify_and_serve(request, next, *verifier_);
}

std::vector<std::pair<std::string, std::string>> sign_webhook(const WebhookOptions& options, std::string_view content,
                                                              std::string_view id) {
  return web::WebhookVerifier(options).sign(content, id);
}

}  // namespace tern
