#include "web/form_token.hpp"

#include <tern/app/pairs.hpp>
#include <tern/base/ascii.hpp>
#include <tern/http/multipart_parser.hpp>

#include <optional>
#include <string_view>

namespace tern::web {
namespace {

constexpr std::string_view token_field = "csrf_token";
constexpr std::string_view urlencoded = "application/x-www-form-urlencoded";

// A multipart form from its beginning, of which more may arrive.
class TokenSearch {
public:
  explicit TokenSearch(std::string_view boundary) noexcept
      : parser_(boundary, {.parts = 1000, .field_bytes = max_token_search}) {}

  void receive(std::string_view bytes) noexcept { parser_.receive(bytes); }
  void finish() noexcept { parser_.finish(); }

  // Unset: needs more. Empty: there is no token where one may be.
  std::optional<std::string> find() {
    while (true) {
      switch (parser_.next()) {
        case MultipartEvent::NeedMore: return std::nullopt;
        case MultipartEvent::Part:
          if (parser_.part().is_file) return std::string();
          in_token_ = parser_.part().name == token_field;
          break;
        case MultipartEvent::Data:
          if (in_token_) token_ += parser_.data();
          break;
        case MultipartEvent::PartEnd:
          if (in_token_) return token_;
          break;
        case MultipartEvent::End:
        case MultipartEvent::Reject: return std::string();
      }
    }
  }

private:
  MultipartParser parser_;
  std::string token_;
  bool in_token_ = false;
};

// What is read stays in Request::collected_body(), where the next reader of the content continues.
Task<std::expected<std::string, StreamError>> token_in_multipart(Request& request, std::string_view boundary) {
  Exchange& exchange = request.exchange();
  exchange.pin();
  TokenSearch search(boundary);
  std::optional<std::string> token;
  bool ended = false;
  while (!token && !ended && request.collected_body().size() < max_token_search) {
    const std::size_t before = request.collected_body().size();
    co_await http::ContentWait(exchange);
    const auto read = http::collect(exchange);
    if (!read) co_return std::unexpected(read.error());
    ended = *read;
    search.receive(std::string_view(request.collected_body()).substr(before));
    if (ended) search.finish();
    token = search.find();
  }
  request.set_body(request.collected_body());
  co_return token.value_or(std::string());
}

Task<std::expected<std::string, StreamError>> token_in_pairs(Request& request) {
  const auto read = co_await read_body(request.exchange());
  if (!read) co_return std::unexpected(read.error());
  const auto pairs = app::form_pairs(request, request.arena());
  std::size_t from = 0;
  const std::string_view* const token = pairs ? pairs->find(token_field, from) : nullptr;
  co_return token != nullptr ? std::string(*token) : std::string();
}

Task<std::expected<std::string, StreamError>> no_token() {
  co_return std::string();
}

}  // namespace

Task<std::expected<std::string, StreamError>> read_form_token(Request& request) {
  // Content with a coding that is decoded further inside must not be touched.
  if (request.field("content-encoding") && !request.exchange().decodes()) return no_token();
  const std::string_view type = request.field("content-type").value_or("");
  if (base::equals_ignoring_case(base::trim(type.substr(0, type.find(';'))), urlencoded))
    return token_in_pairs(request);
  const auto boundary = multipart_boundary(type);
  return boundary ? token_in_multipart(request, *boundary) : no_token();
}

}  // namespace tern::web
