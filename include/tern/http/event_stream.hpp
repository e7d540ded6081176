// Server-sent events (the HTML standard, section 9.2): a response that a browser's EventSource reads.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/coro/task.hpp>
#include <tern/http/response.hpp>
#include <tern/http/when_full.hpp>
#include <tern/http/writer.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

struct ServerEvent {
  std::string_view data;                   // may have several lines
  std::string_view event = {};             // its type; empty: "message"
  std::string_view id = {};                // the client sends it as Last-Event-ID when it reconnects
  std::optional<Milliseconds> retry = {};  // the client's delay before it reconnects
};

// A publication that an event stream has subscribed to.
struct Published {
  std::string topic;
  std::string content;
  bool is_text = true;  // by App::publish(); false: by publish_binary()
};

struct EventStreamOptions {
  Milliseconds keep_alive = Seconds(15);      // after so long without an event a comment is sent, for proxies
  std::size_t max_queued_bytes = 256 * 1024;  // of publications that were not received yet; one may go above it
  // Past it: Drop and Wait leave out publications; Close ends receive(), so that the stream ends and a browser comes
  // back with Last-Event-ID.
  WhenFull when_full = WhenFull::Drop;
};

// Belongs to its exchange, on its loop.
class EventStream {
public:
  explicit EventStream(Writer& writer, const EventStreamOptions& options = {}) noexcept;
  ~EventStream();

  // co_await events.send({.data = "…"}). As Writer::write; throws std::invalid_argument for a type or id with a line
  // break, or an id with NUL.
  Writer::Written send(const ServerEvent& event);
  Writer::Written send(std::string_view data) { return send(ServerEvent{.data = data}); }

  // From now on, what is published to `topic` is received here, by App::publish(), by WebSockets and over the bus; see
  // WebSocket::subscribe() for topics and filters, and for what throws. Ends with the stream.
  void subscribe(std::string_view topic);
  void unsubscribe(std::string_view topic);
  void subscribe_filter(std::string_view filter);
  void unsubscribe_filter(std::string_view filter);
  // The next publication, in the order in which they came; nothing once too many waited (WhenFull::Close). Ends with
  // Cancelled when the client has gone or the server stops. One may wait at a time.
  Task<std::optional<Published>> receive();

private:
  http::StreamTopics& topics();

  Writer& writer_;
  EventStreamOptions options_;
  base::Box<http::StreamTopics> topics_;  // once they are asked for
};

namespace http {

template <class F>
class EventProducer {
public:
  EventProducer(F call, const EventStreamOptions& options) : call_(std::move(call)), options_(options) {}
  Task<> operator()(Writer& writer) {
    writer.keep_alive(options_.keep_alive, ":\n\n");
    EventStream events(writer, options_);
    co_await call_(events);
  }

private:
  F call_;
  EventStreamOptions options_;
};

}  // namespace http

// A response of events: producer(EventStream&) -> Task<>. When the client disconnects, the next await throws Cancelled.
template <class F>
  requires std::is_same_v<std::invoke_result_t<F&, EventStream&>, Task<>>
Response event_stream(F producer, const EventStreamOptions& options = {}) {
  Response response = Response::stream("text/event-stream", http::EventProducer<F>(std::move(producer), options));
  response.set("cache-control", "no-store").set("x-accel-buffering", "no");
  return response;
}

}  // namespace tern
