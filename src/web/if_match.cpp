#include <tern/web/if_match.hpp>

#include "web/preconditions.hpp"

#include <tern/base/number.hpp>
#include <tern/http/problem.hpp>

#include <stdexcept>

namespace tern {

std::string version_tag(std::uint64_t version) {
  std::string tag = "\"";
  base::append_integer(tag, version);
  return tag += '"';
}

bool IfMatch::matches(std::optional<std::string_view> current) const {
  if (!current) return false;
  if (!web::is_entity_tag(*current)) {
    throw std::invalid_argument("IfMatch: '" + std::string(*current) + "' is no ETag: it has quotes around it");
  }
  return web::meets_if_match(*request_, *current);
}

void IfMatch::require_that(bool holds) {
  if (!holds) throw HttpError(Status::PreconditionFailed, "it has been changed since, or is not there");
}

std::expected<IfMatch, Rejection> Extract<IfMatch>::from(Request& request) {
  if (request.field("if-match")) return IfMatch(request);
  return std::unexpected(Rejection::absent(Status::PreconditionRequired,
                                           "send the ETag of what you change in If-Match: others may have changed it"));
}

void Extract<IfMatch>::describe(Operation& operation) {
  operation.parameter(In::Header, "If-Match", "the ETag of what is changed");
  operation.problem(Status::PreconditionFailed, "it has been changed since");
  operation.problem(Status::PreconditionRequired, "there is no If-Match");
}

}  // namespace tern
