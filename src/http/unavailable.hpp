// The library's own 503 response.
#pragma once

#include <tern/http/problem.hpp>

#include <string>
#include <utility>

namespace tern::http {

// With a Retry-After of one second: the condition is temporary (RFC 9110, section 15.6.4).
inline Problem unavailable(std::string detail) {
  Problem problem{Status::ServiceUnavailable, std::move(detail), {}, {}};
  problem.fields.set("retry-after", "1");
  return problem;
}

}  // namespace tern::http
