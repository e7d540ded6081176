// What the coroutines of a request wait for, and where, as text.
#pragma once

#include "exchange/http_exchange.hpp"

#include <string>

namespace tern::server {

// "pool: load < report; timer: poll < report": for each wait, the functions from the one that waits to the outermost
// that is known. Empty if nothing waits, or that is not known. On the loop of the exchange, not within a coroutine.
std::string wait_text(const exchange::HttpExchange& exchange);

}  // namespace tern::server
