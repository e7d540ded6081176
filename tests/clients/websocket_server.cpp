// A server for other projects' clients: echoes in both styles, with and without compression, JSON, topics, ends.
#include <tern/tern.hpp>

#include "../../examples/flags.hpp"

namespace {

tern::Task<> echo(tern::WebSocket socket) {
  while (auto message = co_await socket.receive()) co_await socket.send(*message);
}

struct Echo {
  void message(tern::WebSocket& socket, tern::MessageView message) { socket.send(message); }
};

struct Point {
  int x;
  std::optional<int> y;
  std::string name;
};

struct Mirror {
  void message(tern::WebSocket& socket, tern::Json<Point> point) {
    socket.send(tern::Json<Point>{{{-point->x, point->x, point->name}}});
  }
};

// Closes with the requested code and reason.
struct Ending {
  std::uint16_t code;
  std::string reason;
};

struct Ends {
  void message(tern::WebSocket& socket, tern::Json<Ending> ending) { socket.close(ending->code, ending->reason); }
};

// Publishes how it was closed.
struct Closed {
  tern::App& app;
  void message(tern::WebSocket&, std::string_view) {}
  void close(tern::WebSocket&, std::uint16_t code, std::string_view reason) {
    app.publish("closed", std::to_string(code) + " " + std::string(reason));
  }
};

tern::Task<> topic(tern::WebSocket socket, std::string name) {
  socket.subscribe_filter(name);
  socket.send("subscribed");
  while (auto message = co_await socket.receive()) {
    message->is_text ? socket.publish("news/today", message->content)
                     : socket.publish_binary("news/today", message->content);
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::size_t large = 16 * 1024 * 1024;
  const tern::WebSocketOptions together{.max_message = large, .compression = tern::Compression::Together};
  tern::App app;
  app.websocket("/echo", echo, {.max_message = large, .max_queued = 2 * large, .protocols = {"v2", "v1"}});
  app.websocket("/object", [] { return Echo{}; }, {.max_message = large, .max_queued = 2 * large});
  app.websocket("/separate", echo, {.max_message = large, .compression = tern::Compression::Separate});
  app.websocket("/together", echo, together);
  app.websocket("/narrow", echo, {.compression = tern::Compression::Together, .window_bits = 9});
  app.websocket("/small", echo, {.max_message = 1000, .compression = tern::Compression::Separate});
  app.websocket("/pinged", echo, {.ping = tern::Milliseconds(1), .pong = tern::Seconds(60)});
  app.websocket("/json", [] { return Mirror{}; });
  app.websocket("/ends", [] { return Ends{}; });
  app.websocket("/closed", [&app] { return Closed{app}; });
  app.websocket("/topics/{name...}", topic, together);
  app.post("/publish/{topic...}", [&app](std::string name) { app.publish(name, "news of " + name); });
  return app.run(examples::options(argc, argv));
}
