// The statistics of a Redis as figures for metrics.
#include <tern/redis/client.hpp>

#include <tern/http/observer.hpp>

#include <cstdint>
#include <string_view>

namespace tern {

void Redis::report(http::FigureSink& sink, std::string_view name) const {
  const RedisStatistics counts = statistics();
  const http::FigureLabel client{"client", name};
  sink.gauge("tern_redis_connections", "Connections to Redis that are ready.", static_cast<double>(counts.connections),
             {client});
  sink.gauge("tern_redis_unanswered_commands", "Commands without a reply, or that wait for a connection.",
             static_cast<double>(counts.unanswered), {client});
  sink.gauge("tern_redis_queued_bytes", "Bytes of commands without a reply.", static_cast<double>(counts.queued_bytes),
             {client});
  const auto commands = [&](std::string_view outcome, std::uint64_t count) {
    sink.counter("tern_redis_commands", "Commands that have ended.", static_cast<double>(count),
                 {client, {"outcome", outcome}});
  };
  commands("ok", counts.commands - counts.errors - counts.cancelled);
  commands("error", counts.errors);
  commands("cancelled", counts.cancelled);
  commands("refused", counts.refused);
  sink.counter("tern_redis_reconnects", "Connections that have replaced a lost one.",
               static_cast<double>(counts.reconnects), {client});
  sink.gauge("tern_redis_subscriptions", "Subscriptions that are connected.", static_cast<double>(counts.subscriptions),
             {client});
  sink.gauge("tern_redis_unread_messages", "Messages of subscriptions that were not read yet.",
             static_cast<double>(counts.unread_messages), {client});
  sink.counter("tern_redis_messages", "Messages of subscriptions that have arrived.",
               static_cast<double>(counts.messages), {client});
  sink.counter("tern_redis_resubscriptions", "Subscriptions that were made again after a lost connection.",
               static_cast<double>(counts.resubscriptions), {client});
}

}  // namespace tern
