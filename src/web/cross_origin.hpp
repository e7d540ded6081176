// Whether a page of another origin makes a browser send a request: for CrossOriginProtection and sessions.
#pragma once

#include "web/origin.hpp"

#include <tern/http/request.hpp>
#include <tern/http/response.hpp>

namespace tern::web {

// RFC 9110, section 9.2.1.
bool is_safe(Method method) noexcept;

// By Sec-Fetch-Site and Origin; see CrossOriginProtection.
bool is_from_elsewhere(const Request& request, const OriginList& trusted);

Response refuse_cross_origin(Request& request);

}  // namespace tern::web
