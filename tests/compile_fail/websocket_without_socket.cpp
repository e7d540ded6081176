// expect: a WebSocket's handler is a coroutine that takes a tern::WebSocket
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.websocket("/chat/{room}", [](std::string) -> tern::Task<> { co_return; });
}
