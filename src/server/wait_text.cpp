#include "server/wait_text.hpp"

#include "coro/wait_chain.hpp"
#include "server/symbols.hpp"

namespace tern::server {
namespace {

constexpr std::size_t max_waits = 4;
constexpr std::size_t max_name = 120;

}  // namespace

std::string wait_text(const exchange::HttpExchange& exchange) {
  std::string text;
  for (const coro::WaitChain& chain : coro::chains_of(exchange.waits(), max_waits)) {
    if (!text.empty()) text += "; ";
    text += chain.what;
    for (const void* function : chain.functions) {
      text += function == chain.functions.front() ? ": " : " < ";
      text += function_name(function).substr(0, max_name);
    }
  }
  return text;
}

}  // namespace tern::server
