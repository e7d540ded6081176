// For tests: the exchanges of one loop, without a server. The loop, the service and the clients are in the test's
// thread, and each connection is one end of a socket pair, so that the order of events is exact.
#pragma once

#include "exchange/connection.hpp"
#include "exchange/http_exchange.hpp"
#include "exchange/loop_context.hpp"
#include "exchange/settings.hpp"
#include "logging/log.hpp"
#include "net/loop.hpp"
#include "net/test_iterations.hpp"

#include <tern/base/box.hpp>
#include <tern/coro/work.hpp>
#include <tern/http/reply.hpp>
#include <tern/http/response.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace tern::exchange {

struct FunctionService final : Service {
  Reply serve(Exchange& exchange) const noexcept override {
    exchange.set_service(*this);
    return handler(exchange);
  }
  Response refuse(const Problem& problem) const noexcept override { return Response(problem.status); }

  std::function<Reply(Exchange&)> handler;
};

class ExchangeTest : public ::testing::Test, private LoopOwner {
protected:
  explicit ExchangeTest(Settings chosen = {}) : settings(std::move(chosen)) {
    loop.every_second([this](std::int64_t seconds) { context.set_time(seconds); });
  }
  ~ExchangeTest() override {
    context.abort();
    turn(3);
    EXPECT_FALSE(context.has_connections());
    context.clear();
  }

  net::NonBlockingPeer connect() {
    auto [near, far] = net::non_blocking_pair();
    ++shared.connections;
    EXPECT_TRUE(context.add_connection(std::move(far), net::Address{}, config));
    return std::move(near);
  }

  // Runs so many iterations of the loop.
  void turn(int count = 4) { net::run_iterations(loop, count); }

  // Sends, runs the loop, and receives.
  std::string answer(net::NonBlockingPeer& peer, std::string_view bytes) {
    peer.send(bytes);
    turn();
    return peer.receive();
  }

  Settings settings;
  FunctionService service;
  logging::Log log{LogOptions{.level = LogLevel::Off}};
  SharedState shared{.first_settings = settings, .service = service, .log = log};
  net::Loop loop;
  transport::ConnectionConfig config;
  LoopContext context{shared, loop, 0, *this};
  int closed = 0;  // connections
  int work_after_response = 0;

private:
  void on_connection_closed(bool) noexcept override { ++closed; }
  void on_exchange_ended() noexcept override {}
  void run_after_response(base::Box<coro::Work>) noexcept override { ++work_after_response; }
};

inline std::string get(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

// The contents of complete answers, each with a comma. Those of the tests have no "HTTP/1.1" in them.
inline std::string contents_of(std::string_view answers) {
  std::string contents;
  while (!answers.empty()) {
    const std::size_t end = answers.find("\r\n\r\n");
    if (end == answers.npos) return contents + "an incomplete head";
    answers.remove_prefix(end + 4);
    const std::size_t next = std::min(answers.find("HTTP/1.1 "), answers.size());
    contents.append(answers.substr(0, next)).append(",");
    answers.remove_prefix(next);
  }
  return contents;
}

}  // namespace tern::exchange
