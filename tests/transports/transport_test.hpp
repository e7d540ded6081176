// The fixture of this folder's tests: the test app, with additional routes, served over each transport.
#pragma once

#include "server/test_app.hpp"
#include "transports/transport_client.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tern::testing {

// Register with `app` and adjust `settings`, then use make_client(), which starts the server.
class TransportTest : public ::testing::TestWithParam<Transport> {
protected:
  static bool over_http2() { return is_http2(GetParam()); }

  RunningServer& serve(unsigned loops = 1, const LogOptions& log = silent()) {
    transport::ListenerConfig listening{.address = {.host = "127.0.0.1", .port = 0}};
    if (is_secure(GetParam())) listening.tls = test_certificate();
    listening.name = listener_name;
    running_ = std::make_unique<RunningServer>(test_app.service(), settings, loops, log, std::vector{listening});
    return *running_;
  }
  RunningServer& running() { return running_ ? *running_ : serve(); }
  // With a drain, so that everything is logged.
  void end_server(Milliseconds time = Seconds(20)) {
    running().drain(time);
    running().wait();
    running_.reset();
  }
  TransportClient make_client(int receive_buffer = 0) {
    return TransportClient(GetParam(), running().port(), receive_buffer);
  }

  // Whether this many exchanges are eventually in use.
  bool in_use(std::size_t exchanges) {
    return running().eventually([&] { return running().worker().context().exchanges_in_use() == exchanges; });
  }
  bool all_ended() { return in_use(0); }
  bool all_disconnected() {
    return running().eventually([this] { return running().worker().loop().streams() == 0; });
  }
  // Lets the loop process all received input.
  void settle() {
    for (int i = 0; i < 10; ++i) running().on_loop([] {});
  }

  TestApp test_app;
  App& app = test_app.app;
  Gate& gate = test_app.gate;
  exchange::Settings settings;
  std::string listener_name;

private:
  std::unique_ptr<RunningServer> running_;  // handlers may use it while it ends
};

// Ways to disconnect before the response. The first does not affect other requests of an HTTP/2 connection.
enum class Disconnection { Cancel, Reset };

inline void go(TransportClient& client, Disconnection how) {
  if (how == Disconnection::Cancel) client.cancel();
  if (how == Disconnection::Reset) client.reset();
}

}  // namespace tern::testing
