#include "postgres/connecting.hpp"

#include "postgres/error.hpp"

#include <tern/coro/offload.hpp>
#include <tern/coro/timeout.hpp>

#include <cstdint>
#include <utility>

namespace tern::postgres {
namespace {}  // namespace

Task<std::string> connect_any(Connection::Owner& owner, const PostgresOptions& options, Executor& executor,
                              std::unique_ptr<Connection>& made) {
  const auto look_up = [&options] { return resolve(options.url); };
  const std::expected<Destination, std::string> destination = co_await offload(look_up);
  if (!destination) co_return destination.error();
  const bool has_limit = destination->connect_timeout.count() != 0;
  const Milliseconds limit = has_limit ? destination->connect_timeout : options.connect_timeout;
  std::string fault;
  for (const std::string& attributes : destination->session_attributes) {
    for (const Endpoint& endpoint : destination->endpoints) {
      auto connection = std::make_unique<Connection>(owner, options, executor);
      try {
        fault = co_await with_timeout(limit, connection->open(destination->parameters, endpoint, attributes));
      } catch (const TimedOut&) {
        fault = endpoint.name() + ": no answer for " + format_duration(static_cast<std::uint64_t>(limit.count()));
      }
      if (!fault.empty()) continue;
      made = std::move(connection);
      co_return fault;
    }
  }
  co_return fault;
}

}  // namespace tern::postgres
