// URLs that are credentials for one path and query, for a time.
#pragma once

#include <tern/app/extract.hpp>
#include <tern/app/middleware.hpp>
#include <tern/base/duration.hpp>
#include <tern/web/key_ring.hpp>

#include <string>
#include <string_view>

namespace tern {

// `path`, with its query, and a parameter `signature` that is valid for it during `lifetime`: no other path or
// parameter has the same signature. It is a credential, also in a browser's history or a log.
//
//   tern::signed_url(*keys, "/invoices/7?as=pdf", tern::Seconds(600))  // "/invoices/7?as=pdf&signature=AQ…"
std::string signed_url(const KeyRing& keys, std::string_view path, Seconds lifetime);

// Whether the request's target has such a signature, as its last parameter.
bool has_valid_signature(const KeyRing& keys, const Request& request);

// Middleware: requests without it get a 403. The keys are the State<KeyRing> of the app.
//
//   app.get("/invoices/{id}", invoice).use(tern::require_signed_url);
Reply require_signed_url(Request& request, State<KeyRing> keys, Next next);

}  // namespace tern
