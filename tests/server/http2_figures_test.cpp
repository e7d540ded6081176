// What a server counts about HTTP/2.
#include "server/app_test.hpp"
#include "server/figures.hpp"
#include "server/http2_client.hpp"

#include <tern/async.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern::testing {
namespace {

class Http2Figures : public AppTest {
protected:
  double becomes(const std::string& key, double value) { return figure_that_becomes(running().server(), key, value); }
};

TEST_F(Http2Figures, count_streams_resets_and_connections) {
  app.get("/", [] { return "hello"; });
  app.get("/wait", [this]() -> Task<std::string> {
    co_await gate.pass();
    co_return "done";
  });
  Http2Client peer(running().port());
  EXPECT_EQ(peer.ask("/").status, 200);
  EXPECT_EQ(becomes("tern_connections http/2 idle", 1), 1);
  EXPECT_EQ(becomes("tern_connections http/1.1 idle", 0), 0);
  const auto stream = peer.get("/wait");
  ASSERT_TRUE(gate.await());
  EXPECT_EQ(becomes("tern_connections http/2 active", 1), 1);
  EXPECT_EQ(becomes("http_server_active_requests 2", 1), 1);
  peer.reset(stream);
  EXPECT_EQ(becomes("tern_http2_resets_received", 1), 1);
  gate.open();
  EXPECT_EQ(becomes("tern_requests_abandoned", 1), 1);
  EXPECT_EQ(becomes("http_server_active_requests 2", 0), 0);
  EXPECT_EQ(becomes("tern_connections http/2 idle", 1), 1);
  EXPECT_EQ(becomes("tern_http2_streams", 2), 2);
}

TEST_F(Http2Figures, count_what_is_refused) {
  settings.http2.fields = 1000;
  app.get("/", [] { return "hello"; });
  Http2Client peer(running().port());
  EXPECT_EQ(peer.ask("/", {{"large", std::string(1500, 'x')}}).status, 431);
  EXPECT_EQ(becomes("tern_refusals http2_request", 1), 1);
  peer.send_frames(std::string("\0\0\1\6\0\0\0\0\0x", 10));  // a PING of the wrong size
  EXPECT_EQ(becomes("tern_refusals http2_connection", 1), 1);
  EXPECT_EQ(becomes("tern_connections_closed", 1), 1);
}

}  // namespace
}  // namespace tern::testing
