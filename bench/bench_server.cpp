// What benchmarks and black-box checks run against; see docs/performance.md.
#include <tern/tern.hpp>

#include "../examples/flags.hpp"

struct Message {
  std::string_view message;
};

// Counts what arrives; a slow one pauses now and then.
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

int main(int argc, char** argv) {
  tern::App app;
  app.get("/", [] { return "Hello, World!"; });
  app.get("/json", [] { return Message{"Hello, World!"}; });
  app.get("/user/{id}", [](std::string_view id) { return id; });
  app.post("/echo", [](tern::Body body) { return body; });
  app.post("/upload/{slow}", count);
  return app.run(examples::options(argc, argv));
}
