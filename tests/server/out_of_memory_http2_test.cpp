// The same over HTTP/2, where a shortage is one stream's.
#include "server/app_test.hpp"
#include "server/http2_client.hpp"
#include "server/memory_shortage.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tern::testing {
namespace {

class OutOfMemoryHttp2 : public AppTest {
protected:
  OutOfMemoryHttp2() {
    exempt_this_thread();
    app.post("/echo", [](Body body) { return body; });
    app.post("/later", [](BodyStream body) -> Task<std::string> {
      std::string all;
      while (const auto piece = co_await body.next()) all += *piece;
      co_return all;
    });
  }
  ~OutOfMemoryHttp2() override { refuse_nothing(); }
};

TEST_F(OutOfMemoryHttp2, large_content_is_refused_and_the_connection_goes_on) {
  for (const auto& [size, limit] : {std::pair(150'000UL, 100'000UL),
                                    {4'000'000UL, 100'000UL},
                                    {4'000'000UL, 300'000UL},
                                    {4'000'000UL, 1'000'000UL},
                                    {4'000'000UL, 4'000'000UL}}) {
    const std::string body(size, 'x');
    for (const char* path : {"/echo", "/later"}) {
      Http2Client client(running().port());
      EXPECT_EQ(client.answer(client.post(path, "first")).content, "first");
      refuse(limit);
      const http2::ClientResponse& answer = client.answer(client.post(path, body));
      // Where not even what its window lets come can wait to be read, the stream is reset.
      const bool reset = limit <= 300'000 && answer.error == NGHTTP2_INTERNAL_ERROR;
      // The string that /later makes of it is its own affair.
      EXPECT_TRUE(reset || answer.status == (path == std::string("/echo") ? 503 : 500))
          << path << ' ' << limit << ": " << answer.status << ", error " << answer.error;
      EXPECT_EQ(client.answer(client.post(path, "small")).content, "small");
      refuse_nothing();
      EXPECT_TRUE(client.answer(client.post(path, body)).content == body);
    }
  }
  EXPECT_TRUE(all_ended());
}

}  // namespace
}  // namespace tern::testing
