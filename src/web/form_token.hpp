// The token against cross-site request forgery in the content of a form.
#pragma once

#include <tern/coro/task.hpp>
#include <tern/http/exchange.hpp>

#include <cstddef>
#include <expected>
#include <string>

namespace tern::web {

// How much of a multipart form is looked at.
constexpr std::size_t max_token_search = 16 * 1024;

// The value of the first field "csrf_token"; empty if there is none. An urlencoded form is read completely, a multipart
// form up to that field, its first file, or the end of the piece in which max_token_search ends. The handler gets all
// of it, also as a stream. Pins the exchange.
Task<std::expected<std::string, StreamError>> read_form_token(Request& request);

}  // namespace tern::web
