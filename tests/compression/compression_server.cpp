// A server for clients_test.py: prints its port, and ends with its standard input.
#include <tern/tern.hpp>
#include <tern/web.hpp>

#include <cstdio>
#include <string>

namespace {

std::string rows(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "{\"row\": " + std::to_string(i) + "}\n";
  return text;
}

tern::Task<std::string> count_bytes(tern::BodyStream body) {
  std::size_t total = 0;
  while (const auto piece = co_await body.next()) total += piece->size();
  co_return std::to_string(total);
}

}  // namespace

int main() {
  tern::App app;
  app.use(tern::Compress());
  app.use(tern::Decompress());
  app.get("/rows/{count}", [](std::size_t count) { return tern::Response::text(rows(count)); });
  app.get("/stream/{count}", [](std::size_t count) {
    return tern::Response::stream("application/x-ndjson", [count](tern::Writer& writer) -> tern::Task<> {
      for (std::size_t i = 0; i < count; ++i) co_await writer.write("{\"row\": " + std::to_string(i) + "}\n");
    });
  });
  app.get("/tagged", [](const tern::Request& request) {
    tern::Response response = tern::Response::text(rows(1000));
    const auto known = request.field("if-none-match");
    if (known && known->ends_with("\"v1\"")) response = tern::Response(tern::Status::NotModified);
    return response.set("etag", "\"v1\"");
  });
  app.post("/echo", [](const tern::Request& request) {
    return tern::Response::bytes("image/png", std::string(request.body()));
  });
  app.post("/count", count_bytes);
  tern::Options options;
  options.port = 0;
  options.threads = 2;
  options.logging.level = tern::LogLevel::Off;
  app.start(options);
  std::printf("%u\n", static_cast<unsigned>(app.port()));
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  app.stop();
}
