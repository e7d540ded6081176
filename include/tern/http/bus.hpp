// Bus: how several servers act as one. What is published to the WebSockets of one of them goes by the bus to the
// others, which send it to theirs.
#pragma once

#include <tern/coro/task.hpp>

#include <cstdint>
#include <string_view>

namespace tern {

// A message for all who have subscribed to a topic. Views are valid during the call that they are given to.
struct Publication {
  std::string_view topic;
  std::string_view content;
  bool is_text = true;
};

// What became of a publication on its way to other servers; the WebSockets of this one get it in any case. Sent: there
// are none to be reached, or it has been handed to the bus. Queued: the bus is not connected, and sends it when it is.
// Dropped: the others do not get it, since too much is queued, or nothing is being served.
enum class PublishStatus : std::uint8_t { Sent, Queued, Dropped };

// The server that a bus belongs to.
class BusHost {
public:
  BusHost(const BusHost&) = delete;
  BusHost& operator=(const BusHost&) = delete;

  // What another server has published: to the WebSockets of this one. Ignored where
  // the topic is not one, as is_topic() has it, or the text is not UTF-8. On the bus's loop.
  virtual void deliver(const Publication& publication) = 0;
  // For the error log, from any thread.
  virtual void inform(std::string_view line) = 0;
  virtual void warn(std::string_view line) = 0;

protected:
  BusHost() = default;
  ~BusHost() = default;
};

// Life of a bus: start() before anybody is served, stop() when the last request, its work, background tasks and on_stop
// hooks have ended, both on the first loop of the server, which is the bus's; end() when no loop runs any more. A start
// that fails, and a server that has no more time, have no stop(). After end() it may be started again.
class Bus {
public:
  virtual ~Bus() = default;

  // Connects. Nobody is served before it has ended; who cannot be reached is tried again later, and not waited for.
  // What it throws ends the server: for mistakes in how the bus was set up.
  virtual Task<> start(BusHost& host) = 0;
  // To all other servers, but not back to this one, in the order of the calls of each thread. From any thread, also
  // before start() and after end(); holds nobody up.
  virtual PublishStatus publish(const Publication& publication) = 0;
  // Sends what was published, as far as it can in a moment, and disconnects.
  virtual Task<> stop() = 0;
  // Gives up what it has of the loop and of the host; its tasks are gone by then. From any thread.
  virtual void end() noexcept = 0;

protected:
  Bus() = default;
  Bus(const Bus&) = default;
  Bus(Bus&&) = default;
  Bus& operator=(const Bus&) = default;
  Bus& operator=(Bus&&) = default;
};

}  // namespace tern
