// The server of bench/load/bombs.py: each route takes a kind of request that is small to send and much work to read.
#include "../../examples/flags.hpp"

#include <tern/multipart.hpp>
#include <tern/tern.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

struct Bomb {
  std::map<std::string, int> names;
};

struct Pairs {
  std::optional<std::string> text;
  std::vector<std::string> a;
  std::vector<int> b;
};

// The message is read, and nothing is sent back.
struct Sink {
  void message(tern::WebSocket&, tern::MessageView) {}
};

struct JsonSink {
  void message(tern::WebSocket&, tern::Json<std::map<std::string, int>>) {}
};

std::size_t count(const Pairs& pairs) {
  return pairs.a.size() + pairs.b.size() + pairs.text.value_or("").size();
}

int main(int argc, char** argv) {
  tern::Options options = examples::options(argc, argv);
  options.threads = 1;
  tern::App app;
  app.get("/", [] { return "Hello, World!"; });
  app.websocket("/ws/deflate", [] { return Sink(); }, {.compression = tern::Compression::Separate});
  app.websocket("/ws/large", [] { return Sink(); },
                {.max_message = 16 * 1024 * 1024, .compression = tern::Compression::Separate});
  app.websocket("/ws/json", [] { return JsonSink(); });
  app.post("/json", [](tern::Json<Bomb> bomb) { return bomb->names.size(); });
  app.post("/json/optional", [](std::optional<tern::Json<Bomb>> bomb) { return bomb ? (*bomb)->names.size() : 0; });
  app.post("/json/body", [](tern::Json<Bomb> bomb, tern::Body body) { return bomb->names.size() + body.bytes.size(); });
  app.post("/form", [](tern::Form<Pairs> form) { return count(*form); });
  app.post("/multipart", [](tern::Multipart<Pairs> form) { return count(*form); });
  app.get("/query", [](tern::Query<Pairs> query) { return count(*query); });
  // Expressions for which RE2 needs exponentially many states give it most work for each byte.
  app.get("/regex/{text:(?:[a-q][^u-z]{12}x|[ab]*a[ab]{20}|.)*y}", [](std::string_view text) { return text.size(); });
  return app.run(options);
}
