// The order of responses: the priorities of RFC 9218.
#include "http2/session.hpp"

#include "http2/session_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tern::http2 {
namespace {

TEST(Http2Priority, what_is_urgent_is_sent_first) {
  SessionFixture fixture(1U << 20U);
  const auto background = fixture.client.request("GET", "/", {{"priority", "u=7"}});
  const auto urgent = fixture.client.request("GET", "/", {{"priority", "u=0"}});
  const auto plain = fixture.client.request("GET", "/");
  fixture.run();
  for (const auto id : {background, urgent, plain})
    fixture.session.answer(fixture.stream(id), {}, std::string(15000, 'x'));
  fixture.run();
  std::vector<std::int32_t> order = fixture.client.order();
  order.erase(std::unique(order.begin(), order.end()), order.end());
  EXPECT_EQ(order, (std::vector<std::int32_t>{urgent, plain, background}));
}

TEST(Http2Priority, a_priority_that_comes_before_the_request_counts) {
  SessionFixture fixture(1U << 20U);
  const auto update = [](char stream, std::string_view value) {
    return frame(NGHTTP2_PRIORITY_UPDATE, 0, 0, std::string{0, 0, 0, stream}.append(value));
  };
  fixture.run();
  ASSERT_TRUE(fixture.receive(update(1, "u=7")));
  const auto first = fixture.client.request("GET", "/", {{"priority", "u=0"}});
  const auto second = fixture.client.request("GET", "/", {{"priority", "u=1"}});
  const auto third = fixture.client.request("GET", "/");
  fixture.run();
  ASSERT_TRUE(fixture.receive(update(static_cast<char>(third), "u=0")));
  for (const auto id : {first, second, third}) fixture.session.answer(fixture.stream(id), {}, std::string(15000, 'x'));
  fixture.run();
  std::vector<std::int32_t> order = fixture.client.order();
  order.erase(std::unique(order.begin(), order.end()), order.end());
  EXPECT_EQ(order, (std::vector<std::int32_t>{third, second, first}));
}

// The order of the responses to the first requests. Each gets a PRIORITY_UPDATE with `value` first; the last one has
// "u=1".
std::vector<std::int32_t> order_after_updates(int count, std::string_view value) {
  SessionFixture fixture(1U << 20U);
  fixture.run();
  for (int i = 0; i < count; ++i) {
    const auto id = static_cast<char>(1 + 2 * i);
    EXPECT_TRUE(fixture.receive(frame(NGHTTP2_PRIORITY_UPDATE, 0, 0, std::string{0, 0, 0, id}.append(value))));
  }
  const auto plain = fixture.client.request("GET", "/");
  fixture.client.request("GET", "/", {{"priority", "u=1"}});
  fixture.run();
  for (const auto id : {plain, plain + 2}) fixture.session.answer(fixture.stream(id), {}, std::string(15000, 'x'));
  fixture.run();
  std::vector<std::int32_t> order = fixture.client.order();
  order.erase(std::unique(order.begin(), order.end()), order.end());
  return order;
}

TEST(Http2Priority, as_many_priorities_may_come_before_as_requests) {
  EXPECT_EQ(order_after_updates(64, "u=5"), (std::vector<std::int32_t>{1, 3}));
}

TEST(Http2Priority, a_priority_that_cannot_be_understood_tells_nothing) {
  EXPECT_EQ(order_after_updates(2, "u=!"), (std::vector<std::int32_t>{3, 1}));
  EXPECT_EQ(order_after_updates(2, "=, u"), (std::vector<std::int32_t>{3, 1}));
  EXPECT_EQ(order_after_updates(2, ""), (std::vector<std::int32_t>{1, 3}));  // the defaults
  EXPECT_EQ(order_after_updates(2, "u=4"), (std::vector<std::int32_t>{1, 3}));
}

}  // namespace
}  // namespace tern::http2
