// expect: the member message(tern::WebSocket&, M) of a WebSocket's handler returns void
#include <tern/tern.hpp>

struct Chat {
  void message(tern::WebSocket&, int) {}
};

int main() {
  tern::App app;
  app.websocket("/chat", [] { return Chat{}; });
}
