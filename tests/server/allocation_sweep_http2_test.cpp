// Every allocation of a loop fails in turn, over HTTP/2.
#include "server/allocation_sweep.hpp"

#include "server/http2_client.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern::testing {
namespace {

void routes(App& app, exchange::Settings& settings) {
  settings.access = AccessLog::Json;
  app.get("/hello/{name}", [](std::string name) { return "Hello, " + name; });
  app.post("/echo", [](Body body) { return body; });
  app.get("/later", []() -> Task<std::string> {
    co_await sleep_for(Milliseconds(1));
    co_return std::string(100'000, 'x');
  });
  app.get("/stream", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      for (int i = 0; i < 3; ++i) co_await writer.write(std::string(50'000, 'x'));
    });
  });
}

TEST(AllocationSweepHttp2, requests_at_once) {
  sweep_allocations(routes, [](std::uint16_t port) {
    Http2Client client(port);
    std::vector<std::int32_t> streams;
    for (const char* path : {"/hello/%41nna", "/later", "/stream", "/nowhere"}) streams.push_back(client.get(path));
    for (const std::int32_t id : streams) client.answer(id);
  });
}

TEST(AllocationSweepHttp2, content) {
  sweep_allocations(routes, [](std::uint16_t port) {
    Http2Client client(port);
    client.answer(client.post("/echo", std::string(200'000, 'x')));
  });
}

}  // namespace
}  // namespace tern::testing
