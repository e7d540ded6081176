// Every allocation of a loop fails in turn, over HTTP/1.1 and WebSockets; in a second run over TLS.
#include "server/allocation_sweep.hpp"

#include "server/websocket_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tern::testing {
namespace {

void routes(App& app, exchange::Settings& settings) {
  settings.access = AccessLog::Combined;
  app.get("/hello/{name}", [](std::string name) { return "Hello, " + name; });
  app.get("/large", [] { return std::string(300'000, 'x'); });
  app.get("/throws", []() -> std::string { throw std::runtime_error("it fails"); });
  app.post("/echo", [](Body body) { return body; });
  app.get("/later", []() -> Task<std::string> {
    co_await sleep_for(Milliseconds(1));
    co_return "later";
  });
  app.get("/offloaded", []() -> Task<std::string> { co_return co_await offload([] { return std::string("done"); }); });
  app.get("/stream", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      for (int i = 0; i < 3; ++i) co_await writer.write(std::string(50'000, 'x'));
    });
  });
  app.get("/after", [] {
    Response response = Response::text("first");
    response.after([]() -> Task<> { co_await yield(); });
    return response;
  });
  const WebSocketOptions impatient{.close_timeout = Milliseconds(1)};  // the client does not answer a close
  app.websocket("/object", [] { return Echo{}; }, impatient);
  app.websocket("/coroutine", echo, impatient);
  app.websocket(
      "/topic",
      [](WebSocket socket) -> Task<> {
        socket.subscribe("news");
        socket.subscribe_filter("news/+/today");
        while (auto message = co_await socket.receive()) {
          socket.publish("news", "text");
          co_await socket.send(*message);
        }
      },
      impatient);
}

// Whether as many bytes come.
bool receives(HttpClient& client, std::size_t bytes) {
  while (bytes != 0) {
    const std::string some = client.receive_some();
    if (some.empty()) return false;
    bytes -= std::min(bytes, some.size());
  }
  return true;
}

// The client's last request has said so.
void read_to_the_end(HttpClient& client) {
  while (!client.receive_some().empty()) {
  }
}

void ask(std::uint16_t port, std::string_view path) {
  HttpClient client(port);
  client.get(path, "Connection: close\r\nX-Long: " + std::string(3000, 'y') + "\r\n");
  read_to_the_end(client);
}

class AllocationSweep : public ::testing::TestWithParam<const char*> {};

TEST_P(AllocationSweep, a_request_ends_and_nothing_else) {
  sweep_allocations(routes, [](std::uint16_t port) { ask(port, GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(paths, AllocationSweep,
                         ::testing::Values("/hello/%41nna", "/large", "/throws", "/later", "/offloaded", "/stream",
                                           "/after", "/nowhere", "/hello/a/../b"),
                         [](const auto& parameter) {
                           std::string name;
                           for (const char c : std::string_view(parameter.param)) {
                             if (c >= 'a' && c <= 'z') name += c;
                           }
                           return name;
                         });

TEST(AllocationSweepContent, in_pieces_and_chunks) {
  sweep_allocations(routes, [](std::uint16_t port) {
    HttpClient client(port);
    client.post("/echo", std::string(400'000, 'x'), "Connection: close\r\n");
    read_to_the_end(client);
    HttpClient other(port);
    other.send("POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel");
    other.send("lo\r\n0\r\nA: b\r\n\r\n");
    read_to_the_end(other);
  });
}

TEST(AllocationSweepHeads, in_pieces_and_pipelined) {
  sweep_allocations(routes, [](std::uint16_t port) {
    HttpClient client(port);
    client.send("GET /hello/a HTTP/1.1\r\nHost: a\r\nX: " + std::string(60'000, 'x'));
    client.send("\r\n\r\nGET /hello/b HTTP/1.1\r\nHost: a\r\n\r\nGET /hello/c HTTP/1.1\r\nHost: a\r\n\r\nBAD\r\n\r\n");
    read_to_the_end(client);
  });
}

TEST(AllocationSweepWebSockets, echo_and_publish) {
  for (const char* path : {"/object", "/coroutine", "/topic"}) {
    SCOPED_TRACE(path);
    sweep_allocations(routes, [path](std::uint16_t port) {
      WebSocketClient socket{HttpClient(port)};
      if (socket.connect(path, "Sec-WebSocket-Extensions: permessage-deflate\r\n").status != 101) return;
      socket.text("small");
      if (!receives(socket.client(), 3)) return;
      socket.binary(std::string(100'000, 'x'));
      if (!receives(socket.client(), 10)) return;
      socket.send(websocket::testing::close(1000));
      while (!socket.client().receive_some().empty()) {
      }
    });
  }
}

}  // namespace
}  // namespace tern::testing
