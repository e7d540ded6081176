// PostgresBus: several servers exchange publications through the database they have anyway.
#pragma once

#include <tern/base/box.hpp>
#include <tern/http/bus.hpp>
#include <tern/postgres/options.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace tern {

struct PostgresBusOptions {
  PostgresOptions database = {};
  std::string channel = "tern";              // of NOTIFY; the servers that belong together have the same
  std::size_t max_queued = 4 * 1024 * 1024;  // bytes of publications that were not sent yet
  std::size_t max_publication = 256 * 1024;  // bytes; larger ones are dropped. Those of more than 5 KiB need several
                                             // notifications
};

// Uses two connections on the server's first loop, one to notify and one to listen. While the database is away,
// publications are queued, the error log says so once, and publications of other servers are lost. Each publication
// arrives at most once. Every notification passes through one queue of the database, and wakes all servers: it suits
// some thousand publications a second.
class PostgresBus final : public Bus {
public:
  explicit PostgresBus(PostgresBusOptions options = {});
  PostgresBus(PostgresBus&&) noexcept = default;
  PostgresBus& operator=(PostgresBus&&) noexcept = default;
  ~PostgresBus() override = default;

  // Throws std::invalid_argument for invalid options.
  Task<> start(BusHost& host) override;
  PublishStatus publish(const Publication& publication) override;
  Task<> stop() override;
  std::optional<BusStatistics> statistics() const override;
  void end() noexcept override;

private:
  class Publisher;
  base::Box<Publisher> publisher_;
};

}  // namespace tern
