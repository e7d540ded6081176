#include "web/conditional.hpp"

#include "web/http_date.hpp"
#include "web/preconditions.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/sha1.hpp>
#include <tern/http/exchange.hpp>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <utility>

namespace tern::web {
namespace {

// The fields that describe the content, which a 304 does not have.
bool describes_content(std::string_view name) noexcept {
  constexpr std::string_view prefix = "content-";
  return name.size() > prefix.size() && base::equals_ignoring_case(name.substr(0, prefix.size()), prefix) &&
         !base::equals_ignoring_case(name, "content-location");
}

bool has_conditions(const Request& request) noexcept {
  for (const std::string_view name : {"if-none-match", "if-match", "if-modified-since", "if-unmodified-since"}) {
    if (request.field(name)) return true;
  }
  return false;
}

// Sets it before anything is removed: without memory the 200 stays whole.
Response not_modified(Response response) {
  Fields kept;
  for (const Field& field : response.fields()) {
    if (belongs_to_not_modified(field.name)) kept.add(field.name, field.value);
  }
  response.set_fields(std::move(kept));
  response.content(std::string());
  return std::move(response).status(Status::NotModified);
}

}  // namespace

std::string content_tag(std::string_view content) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::size_t used = 16;
  const auto hash = base::sha1(content);
  std::string tag = "\"";
  for (std::size_t i = 0; i < used; ++i) {
    tag += digits[hash[i] >> 4U];
    tag += digits[hash[i] & 15U];
  }
  return tag += '"';
}

bool wants_tag(const Response& response) noexcept {
  return response.status() == Status::Ok && response.producer() == nullptr && !response.fields().find("etag");
}

bool belongs_to_not_modified(std::string_view name) noexcept {
  return !describes_content(name) && !base::equals_ignoring_case(name, "last-modified") &&
         !base::equals_ignoring_case(name, "accept-ranges");
}

Response evaluate_conditions(const Request& request, Response response) {
  if (response.status() != Status::Ok || response.producer() != nullptr || !has_conditions(request)) return response;
  const std::int64_t now = std::time(nullptr);
  Validators validators;
  if (const auto tag = response.fields().find("etag")) validators.etag = *tag;
  if (const auto modified = response.fields().find("last-modified")) {
    validators.modified = parse_http_date(*modified, now);
  }
  switch (check_preconditions(request, validators, now)) {
    case Precondition::Holds: return response;
    case Precondition::NotModified: return not_modified(std::move(response));
    case Precondition::Failed: break;
  }
  return request.exchange().refuse(Problem{Status::PreconditionFailed, "the content is another version"});
}

}  // namespace tern::web
