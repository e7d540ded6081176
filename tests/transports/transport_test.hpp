// What the tests of this folder have in common: the desk, routes of their own beside it, and the server that runs them
// over what is being tested.
#pragma once

#include "server/desk.hpp"
#include "transports/caller.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tern::testing {

// Register with `app` and adjust `settings`, then use caller(): the server starts by that.
class TransportTest : public ::testing::TestWithParam<Transport> {
protected:
  static bool over_http2() { return is_http2(GetParam()); }

  Running& serve(unsigned loops = 1, const server::Log::Options& log = silent()) {
    server::Listening listening{.address = {.host = "127.0.0.1", .port = 0}};
    if (is_secure(GetParam())) listening.tls = test_certificate();
    running_ = std::make_unique<Running>(desk.service(), settings, loops, log, std::vector{listening});
    return *running_;
  }
  Running& running() { return running_ ? *running_ : serve(); }
  // In good order, so that everything is logged.
  void end_server(Milliseconds time = Seconds(20)) {
    running().drain(time);
    running().wait();
    running_.reset();
  }
  Caller caller(int receive_buffer = 0) { return Caller(GetParam(), running().port(), receive_buffer); }

  // Whether so many requests come to be under way.
  bool in_use(std::size_t exchanges) {
    return running().eventually([&] { return running().worker().exchanges_in_use() == exchanges; });
  }
  bool all_ended() { return in_use(0); }
  bool all_disconnected() {
    return running().eventually([this] { return running().worker().loop().streams() == 0; });
  }
  // Lets the loop take what has been sent, and do what it is about to do.
  void settle() {
    for (int i = 0; i < 10; ++i) running().on_loop([] {});
  }

  Desk desk;
  App& app = desk.app;
  Gate& gate = desk.gate;
  server::Settings settings;

private:
  std::unique_ptr<Running> running_;  // handlers may use it while it ends
};

// Ways to go before the answer has come. The first leaves other requests of an HTTP/2 connection alone.
enum class Going { Cancel, Reset };

inline void go(Caller& caller, Going how) {
  if (how == Going::Cancel) caller.cancel();
  if (how == Going::Reset) caller.reset();
}

}  // namespace tern::testing
