// What the coroutines of a request wait for, and where, as text.
#pragma once

#include "exchange/http_exchange.hpp"

#include <span>
#include <string>
#include <string_view>

namespace tern::server {

// What a chain calls a coroutine with this function: without the type that a template returns, at most 120 bytes; those
// of the library by what users call ("when_all"). Empty: one without meaning for users.
std::string_view coroutine_name(std::string_view function);

// "load < report": the names, of code that coro::chain_from() has found.
std::string chain_text(std::span<const void* const> functions);

// "pool: load < report; timer: poll < report": for each wait, the functions from the one that waits to the outermost
// that is known. Empty if nothing waits, or that is not known. On the loop of the exchange, not within a coroutine.
std::string wait_text(const exchange::HttpExchange& exchange);

}  // namespace tern::server
