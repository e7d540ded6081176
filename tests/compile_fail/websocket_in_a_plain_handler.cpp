// expect: only a handler of App::websocket() takes a tern::WebSocket
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/chat", [](tern::WebSocket) { return "?"; });
}
