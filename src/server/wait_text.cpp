#include "server/wait_text.hpp"

#include "coro/wait_chain.hpp"
#include "server/symbols.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace tern::server {
namespace {

constexpr std::size_t max_waits = 4;
constexpr std::size_t max_name = 120;

// Coroutines of the library by what users call; the last is not worth a name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> own = {{
    {"tern::coro::all_of", "when_all"},
    {"tern::coro::all_of_many", "when_all"},
    {"tern::coro::any_of", "when_any"},
    {"tern::coro::any_of_many", "when_any"},
    {"tern::coro::within", "with_timeout"},
    {"tern::Scope::join", "Scope::join"},
    {"tern::coro::calling", "spawn"},
    {"tern::coro::as_task", ""},
}};

// Without the type that a template returns: "int f<char>" is "f<char>".
std::string_view without_type(std::string_view name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- != 0;) {
    const char c = name[i];
    if (c == '>' || c == ')' || c == '}') ++depth;
    if (c == '<' || c == '(' || c == '{') --depth;
    if (c == ' ' && depth == 0) return name.substr(i + 1);
  }
  return name;
}

}  // namespace

std::string_view coroutine_name(std::string_view function) {
  const std::string_view name = without_type(function);
  const std::string_view base = name.substr(0, name.find('<'));
  for (const auto& [coroutine, called] : own) {
    if (base == coroutine) return called;
  }
  return name.substr(0, max_name);
}

std::string chain_text(std::span<const void* const> functions) {
  std::string text;
  for (const void* const function : functions) {
    const std::string symbol = function_name(function);
    const std::string_view name = coroutine_name(symbol);
    if (name.empty()) continue;
    if (!text.empty()) text += " < ";
    text += name;
  }
  return text;
}

std::string wait_text(const exchange::HttpExchange& exchange) {
  std::string text;
  for (const coro::WaitChain& chain : coro::chains_of(exchange.waits(), max_waits)) {
    if (!text.empty()) text += "; ";
    text += chain.what;
    text += ": ";
    text += chain_text(chain.functions);
  }
  return text;
}

}  // namespace tern::server
