// Server-sent events (the HTML standard, section 9.2): a response that a browser's EventSource reads.
#pragma once

#include <tern/base/duration.hpp>
#include <tern/http/response.hpp>
#include <tern/http/writer.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

struct ServerEvent {
  std::string_view data;                   // may have several lines
  std::string_view event = {};             // its type; empty: "message"
  std::string_view id = {};                // what the client sends as Last-Event-ID when it comes back
  std::optional<Milliseconds> retry = {};  // how long the client waits before it does
};

// Belongs to its exchange, on its loop.
class EventStream {
public:
  explicit EventStream(Writer& writer) noexcept : writer_(writer) {}

  // co_await events.send({.data = "…"}). As Writer::write; throws std::invalid_argument for a type or id with a line
  // break, or an id with NUL.
  Writer::Written send(const ServerEvent& event);
  Writer::Written send(std::string_view data) { return send(ServerEvent{.data = data}); }

private:
  Writer& writer_;
};

namespace http {

template <class F>
class EventProducer {
public:
  EventProducer(F call, Milliseconds keep_alive) : call_(std::move(call)), keep_alive_(keep_alive) {}
  Task<> operator()(Writer& writer) {
    writer.keep_alive(keep_alive_, ":\n\n");
    EventStream events(writer);
    co_await call_(events);
  }

private:
  F call_;
  Milliseconds keep_alive_;
};

}  // namespace http

// A response of events: producer(EventStream&) -> Task<>. While it sends nothing, a comment goes out every
// `keep_alive`, so that proxies keep the connection; a client that goes ends it at the next await.
template <class F>
  requires std::is_same_v<std::invoke_result_t<F&, EventStream&>, Task<>>
Response event_stream(F producer, Milliseconds keep_alive = Seconds(15)) {
  Response response = Response::stream("text/event-stream", http::EventProducer<F>(std::move(producer), keep_alive));
  response.set("cache-control", "no-store").set("x-accel-buffering", "no");
  return response;
}

}  // namespace tern
