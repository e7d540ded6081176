// Bus: carries publications between servers. A publication to the WebSockets of one server reaches those of the others.
#pragma once

#include <tern/coro/task.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tern {

// A message to the subscribers of a topic. The views are valid during the call that they are passed to.
struct Publication {
  std::string_view topic;
  std::string_view content;
  bool is_text = true;
};

// The fate of a publication to other servers; the WebSockets of this server get it in any case. Sent: there are no
// other servers, or the bus has it. Queued: the bus is disconnected, and sends it later. Dropped: other servers do not
// get it, because too much is queued, or the app is not running.
enum class PublishStatus : std::uint8_t { Sent, Queued, Dropped };

// What a bus has done since it was made, for metrics.
struct BusStatistics {
  bool connected = false;
  std::size_t queued_bytes = 0;  // of publications that were not sent yet, or not acknowledged

  std::uint64_t published = 0;  // publications of this server that were Sent or Queued
  std::uint64_t dropped = 0;    // that were Dropped
  std::uint64_t lost = 0;  // of the published ones: may not have arrived, because the connection or the bus has ended
  std::uint64_t received = 0;  // of other servers
  std::uint64_t reconnects = 0;
};

// The server of a bus.
class BusHost {
public:
  BusHost(const BusHost&) = delete;
  BusHost& operator=(const BusHost&) = delete;

  // Delivers a publication of another server to the WebSockets of this one. Ignored if is_topic() is false for the
  // topic, or the text is not UTF-8. On the bus's loop.
  virtual void deliver(const Publication& publication) = 0;
  // Write to the error log; from any thread.
  virtual void inform(std::string_view line) = 0;
  virtual void warn(std::string_view line) = 0;

protected:
  BusHost() = default;
  ~BusHost() = default;
};

// Life of a bus, on the first loop of the server: start() before the server accepts connections; stop() when the last
// request, its work, background tasks and on_stop hooks have ended. end() follows when no loop runs any more. stop() is
// not called after a failed start, or when the time for the drain is over. After end(), the bus may be started again.
class Bus {
public:
  virtual ~Bus() = default;

  // Connects. The server accepts connections after it has returned; a bus retries in the background instead of waiting
  // for an unavailable peer. An exception ends the server: for configuration errors.
  virtual Task<> start(BusHost& host) = 0;
  // Publishes to all other servers, but not back to this one, in the order of calls of each thread. From any thread,
  // also before start() and after end(). Does not block.
  virtual PublishStatus publish(const Publication& publication) = 0;
  // Sends queued publications, as far as possible in a short time, and disconnects.
  virtual Task<> stop() = 0;
  // Releases all references to the loop and the host; the bus's tasks have ended. From any thread.
  virtual void end() noexcept = 0;
  // Shown in the metrics (tern_bus_…) unless unset. From any thread, while the bus exists.
  virtual std::optional<BusStatistics> statistics() const { return std::nullopt; }

protected:
  Bus() = default;
  Bus(const Bus&) = default;
  Bus(Bus&&) = default;
  Bus& operator=(const Bus&) = default;
  Bus& operator=(Bus&&) = default;
};

}  // namespace tern
