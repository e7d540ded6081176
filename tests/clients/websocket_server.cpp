// What clients of others' are tried against: echoes in both styles, with and without compression, and topics.
#include <tern/tern.hpp>

#include "../../examples/flags.hpp"

namespace {

tern::Task<> echo(tern::WebSocket socket) {
  while (auto message = co_await socket.receive()) co_await socket.send(*message);
}

struct Echo {
  void message(tern::WebSocket& socket, tern::MessageView message) { socket.send(message); }
};

tern::Task<> topic(tern::WebSocket socket, std::string name) {
  socket.subscribe(name);
  socket.send("subscribed");
  while (auto message = co_await socket.receive()) socket.publish("news/today", message->content);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::size_t large = 16 * 1024 * 1024;
  tern::App app;
  app.websocket("/echo", echo, {.max_message = large, .max_queued = 2 * large, .protocols = {"v2", "v1"}});
  app.websocket("/object", [] { return Echo{}; }, {.max_message = large, .max_queued = 2 * large});
  app.websocket("/separate", echo, {.max_message = large, .compression = tern::Compression::Separate});
  app.websocket("/together", echo, {.max_message = large, .compression = tern::Compression::Together});
  app.websocket("/narrow", echo, {.compression = tern::Compression::Together, .window_bits = 9});
  app.websocket("/small", echo, {.max_message = 1000, .compression = tern::Compression::Separate});
  app.websocket("/topics/{name...}", topic);
  return app.run(examples::options(argc, argv));
}
