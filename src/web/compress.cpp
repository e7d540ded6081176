#include <tern/web/compress.hpp>

#include "web/compressor.hpp"

#include <tern/coro/offload.hpp>
#include <tern/http/problem.hpp>

#include <utility>

namespace tern {
namespace {

using web::Compressor;
using web::ContentCoding;
using web::Plan;

void own_content(Response& response) {
  const std::string_view type = response.literal_type();
  std::string content(response.content());
  if (!type.empty()) response.set("content-type", type);
  response.content(std::move(content));
}

Task<Response> compress_on_pool(const Compressor& compressor, const Request& request, ContentCoding coding,
                                Response response) {
  // A borrowed content may be part of the request, which moves where the handler did not wait.
  if (response.borrows() && !response.is_static()) own_content(response);
  const std::string_view content = response.content();
  const auto encode = [&] { return compressor.encode(content, coding); };
  std::optional<std::string> coded;
  try {
    coded = co_await offload(encode);
  } catch (const Overloaded&) {  // it is sent as it is
  }
  compressor.replace(response, coding, std::move(coded), web::refuses_identity(request));
  co_return response;
}

Reply compress(const Compressor& compressor, const Request& request, ContentCoding coding, Response response) {
  switch (compressor.plan(request, response, coding)) {
    case Plan::Unchanged: break;
    case Plan::Streamed: compressor.wrap(response, coding); break;
    case Plan::AtOnce:
      compressor.replace(response, coding, compressor.encode(response.content(), coding),
                         web::refuses_identity(request));
      break;
    case Plan::OnPool: return compress_on_pool(compressor, request, coding, std::move(response));
  }
  return response;
}

Task<Response> compress_later(const Compressor& compressor, const Request& request, ContentCoding coding, Reply reply) {
  Response response = co_await std::move(reply);
  Reply compressed = compress(compressor, request, coding, std::move(response));
  co_return co_await std::move(compressed);
}

}  // namespace

Compress::Compress(CompressOptions options) : compressor_(base::make_box<Compressor>(std::move(options))) {}

Compress::Compress(const Compress& other) : Compress(other.compressor_->options()) {}

Compress& Compress::operator=(Compress other) noexcept {
  compressor_ = std::move(other.compressor_);
  return *this;
}

Reply Compress::operator()(Request& request, Next next) const {
  const std::optional<ContentCoding> coding = compressor_->negotiate(request);
  if (!coding) {
    Problem problem{Status::NotAcceptable, "no content coding is acceptable", {}, {}};
    problem.fields.set("vary", "accept-encoding");
    return request.exchange().refuse(problem);
  }
  Reply reply = next();
  if (reply.ready()) return compress(*compressor_, request, *coding, std::move(reply.response()));
  return compress_later(*compressor_, request, *coding, std::move(reply));
}

}  // namespace tern
