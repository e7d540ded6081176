// Redirects to targets that clients have sent, such as the page to return to after a login.
#pragma once

#include <tern/http/response.hpp>

#include <string_view>

namespace tern {

// Whether a browser that is redirected to `target` stays on this origin: a path with '/' at its beginning, perhaps with
// a query. Not so: "//evil.example", "/\evil.example", "https:evil.example", "javascript:…", and anything with a
// backslash or a control character, which browsers remove before they look.
bool is_local_target(std::string_view target) noexcept;

// Response::redirect() to a local target; throws HttpError with 400 for any other:
//
//   app.post("/login", [](tern::QueryParam<"next"> next) { … return tern::local_redirect(*next); });
Response local_redirect(std::string_view target, Status status = Status::SeeOther);

}  // namespace tern
