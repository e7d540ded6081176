// The server that benchmarks and black-box tests run against; see bench/README.md.
#include "bench_flags.hpp"
#include "series.hpp"

#include <tern/tern.hpp>

struct Message {
  std::string_view message;
};

struct Item {
  std::string name;
  std::int64_t value;
};

struct Doubled {
  std::string name;
  std::int64_t value;
  std::int64_t double_;
};

template <>
struct tern::JsonNames<Doubled> {
  static constexpr tern::json::Rename renames[] = {{"double_", "double"}};
};

struct Greeting {
  std::string greeting;
  Doubled item;
};

Greeting greet(tern::Json<Item> item) {
  return {.greeting = "Hello, " + item->name + "!",
          .item = {.name = item->name, .value = item->value, .double_ = 2 * item->value}};
}

struct Argument {
  double value;
};

std::string calculate(tern::Query<Argument> argument) {
  return std::to_string(bench::series(argument->value));
}

constexpr auto pass_on = [](tern::Request&, tern::Next next) { return next(); };

// Counts the bytes of the content; a slow one pauses after each 16 MiB.
tern::Task<std::string> count(bool slow, tern::BodyStream body) {
  constexpr std::size_t pause_every = 16 * 1024 * 1024;
  std::size_t total = 0;
  std::size_t pause_at = pause_every;
  while (const auto piece = co_await body.next()) {
    total += piece->size();
    if (!slow || total < pause_at) continue;
    pause_at += pause_every;
    co_await tern::sleep_for(tern::Milliseconds(1));
  }
  co_return std::to_string(total);
}

// `count` bytes, at most ten million, allocated at the first request.
tern::Response bytes(std::uint32_t count) {
  static const std::string all(10'000'000, 'x');
  return tern::Response::static_content(tern::media::bytes, std::string_view(all).substr(0, count));
}

struct SocketEcho {
  void message(tern::WebSocket& socket, tern::MessageView message) { socket.send(message); }
};

// Each message is published to all other clients.
struct TopicMember {
  void open(tern::WebSocket& socket) { socket.subscribe("topic"); }
  void message(tern::WebSocket& socket, std::string_view message) { socket.publish("topic", message); }
};

int main(int argc, char** argv) {
  const bench::Flags flags = bench::flags(argc, argv);
  tern::App app;
  app.get("/", [] { return "Hello, World!"; });
  app.get("/json", [] { return Message{"Hello, World!"}; });
  app.post("/json", greet);
  app.get("/user/{id}", [](std::string_view id) { return id; });
  app.get("/bytes/{count}", bytes);
  app.post("/echo", [](tern::Body body) { return body; });
  app.post("/upload", [](tern::BodyStream body) { return count(false, std::move(body)); });
  app.post("/upload/{slow}", count);
  app.get("/calc", tern::blocking(calculate));
  app.get("/before-three", [] { return "Hello, World!"; });
  app.get("/behind-three", [] { return "Hello, World!"; }).use(pass_on).use(pass_on).use(pass_on);
  app.websocket("/ws/echo", [] { return SocketEcho(); }, {.max_queued = 4 * 1024 * 1024});
  app.websocket("/ws/topic", [] { return TopicMember(); });
  tern::Group routes = app.group("");
  for (int i = 0; i < flags.routes; ++i) {
    routes.get("/route" + std::to_string(i) + "/{id}/details", [](std::string_view id) { return id; });
  }
  return app.run(flags.options);
}
