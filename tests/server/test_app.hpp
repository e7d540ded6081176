// The application of this folder's tests.
#pragma once

#include "server/running_server.hpp"

#include <tern/tern.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace tern::testing {

// A text in which a missing, doubled or misplaced piece is noticed.
inline std::string pattern(std::size_t size) {
  static const std::string block = [] {
    std::string text(9973, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('!' + (i * 7 + i / 89) % 90);
    return text;
  }();
  std::string text;
  text.reserve(size);
  while (text.size() < size) text.append(block, 0, size - text.size());
  return text;
}

struct TestApp {
  TestApp() {
    app.get("/hello", [] { return "Hello, World!"; });
    app.get("/user/{id}", [](std::string_view id) { return id; });
    app.get("/large/{size}", [](std::size_t size) { return pattern(size); });
    app.get("/throws", []() -> std::string { throw std::runtime_error("a secret"); });
    app.get("/late/{name}", [this](std::string name) -> Task<Response> {
      co_await gate.pass();
      co_return Response::text(std::move(name));
    });
    app.get("/late-large/{size}", [this](std::size_t size) -> Task<Response> {
      co_await gate.pass();
      co_return Response::text(pattern(size));
    });
    app.get("/stopped", [this](Request& request) -> Task<Response> {
      co_await gate.pass();
      stopped = request.stop().stop_requested();
      co_return Response(Status::NoContent);
    });
    app.post("/echo", [](Body body) { return body; });
    app.post("/size", [](Body body) { return std::string_view(body).size(); });
    app.post("/small", [](Body body) { return body; }).limits({.max_body_bytes = 100});
    app.post("/unread", [] { return "not looked at"; });
    auto gated = app.group("/gated");
    gated.use([this](Request&, Next next) -> Task<Response> {
      co_await gate.pass();
      co_return co_await next();
    });
    gated.post("/echo", [](Body body) { return body; });
  }

  const Service& service() { return app.service(); }

  Gate gate;
  std::atomic<bool> stopped = false;
  App app;
};

// A served test app.
class TestAppTest : public ::testing::Test {
protected:
  RunningServer& serve(exchange::Settings settings = {}, unsigned loops = 1) {
    running_.emplace(test_app.service(), std::move(settings), loops);
    return *running_;
  }
  RunningServer& running() { return running_ ? *running_ : serve(); }
  HttpClient client(int receive_buffer = 0) { return running().client(receive_buffer); }

  TestApp test_app;

private:
  std::optional<RunningServer> running_;
};

}  // namespace tern::testing
