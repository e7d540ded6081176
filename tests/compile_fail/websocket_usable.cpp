// expect: nothing
#include <tern/tern.hpp>

struct Point {
  int x;
  int y;
};
struct Text {
  void message(tern::WebSocket& socket, std::string_view text) { socket.send(text); }
};
struct Binary {
  void open(tern::WebSocket socket) { socket.subscribe("all"); }
  void message(tern::WebSocket& socket, tern::MessageView message) noexcept { socket.send_binary(message); }
  void drained(tern::WebSocket&) {}
  void close(tern::WebSocket&, std::uint16_t, std::string_view) {}
};
struct Points {
  void message(tern::WebSocket& socket, tern::Json<Point> point) { socket.send(point); }
};

tern::Task<> echo(tern::WebSocket socket) {
  while (auto message = co_await socket.receive()) co_await socket.send(*message);
}

int main() {
  tern::App app;
  app.websocket("/echo", echo);
  app.websocket("/{room}/{number}",
                [](const std::string&, int, const tern::WebSocket& socket, tern::Request&) -> tern::Task<> {
                  co_await socket.send("welcome");
                });
  app.websocket("/text/{room}", [](std::string_view) { return Text{}; }, {.max_message = 1000});
  app.group("/group").websocket("/binary", [] { return Binary{}; });
  app.websocket("/points", [] { return Points{}; }, {.compression = tern::Compression::Separate});
  app.publish("all", "text");
  app.publish("all", tern::Json<Point>{{{1, 2}}});
}
