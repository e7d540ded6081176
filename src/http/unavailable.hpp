// The 503 of the library itself.
#pragma once

#include <tern/http/problem.hpp>

#include <string>
#include <utility>

namespace tern::http {

// With a Retry-After of one second: what is in the way now need not be then (RFC 9110, section 15.6.4).
inline Problem unavailable(std::string detail) {
  Problem problem{Status::ServiceUnavailable, std::move(detail), {}, {}};
  problem.fields.set("retry-after", "1");
  return problem;
}

}  // namespace tern::http
