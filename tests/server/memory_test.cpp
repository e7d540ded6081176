// Memory for clients that do not read: its bound, and its return to the system.
#include "server/app_test.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace tern::testing {
namespace {

constexpr std::size_t large = 4'000'000;  // more than the kernel's buffers of both sides

class UnreadAnswers : public AppTest {
protected:
  UnreadAnswers() {
    app.get("/large", [] { return std::string(large, 'x'); });
    app.get("/static", [] { return Response::static_content("text/plain", shared_content()); });
    app.get("/small", [] { return "small"; });
  }

  static const std::string& shared_content() {
    static const std::string content(large, 's');
    return content;
  }
  std::size_t held() { return running().server().memory().used(); }
  // A client that has asked, and does not read.
  HttpClient unread(std::string_view path) {
    HttpClient client = this->client(4096);
    client.get(path);
    return client;
  }
};

TEST_F(UnreadAnswers, count_until_they_are_read) {
  HttpClient client = unread("/large");
  ASSERT_TRUE(running().eventually([this] { return held() != 0; }));
  EXPECT_LE(held(), large);
  EXPECT_EQ(client.answer().body.size(), large);
  EXPECT_TRUE(running().eventually([this] { return held() == 0; }));
}

TEST_F(UnreadAnswers, count_until_their_connection_is_gone) {
  {
    HttpClient client = unread("/large");
    ASSERT_TRUE(running().eventually([this] { return held() != 0; }));
    client.peer().reset();
  }
  EXPECT_TRUE(running().eventually([this] { return held() == 0; }));
}

TEST_F(UnreadAnswers, past_the_bound_refuse_large_answers_only) {
  settings.buffered = large * 3 / 2;
  HttpClient client = unread("/large");
  ASSERT_TRUE(running().eventually([this] { return held() > large / 2; }));
  HttpClient other = this->client();
  const HttpAnswer refused = other.ask("/large");
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.field("retry-after"), "");
  EXPECT_EQ(other.ask("/small").status, 200);
  EXPECT_EQ(other.ask("/static").body.size(), large) << "it holds no memory of ours";
  EXPECT_EQ(client.answer().body.size(), large);
  ASSERT_TRUE(running().eventually([this] { return held() == 0; }));
  EXPECT_EQ(other.ask("/large").body.size(), large);
}

// At the least rate alone this client would have hours.
TEST_F(UnreadAnswers, have_to_be_read_within_a_minute_where_memory_is_tight) {
  settings.buffered = large * 3 / 2;
  settings.min_data_rate = 1;
  settings.grace = Milliseconds(100);
  HttpClient client = unread("/large");
  ASSERT_TRUE(running().eventually([this] { return held() > large / 2; }));
  HttpClient idle = this->client();
  std::size_t read = 0;
  for (std::string some = "more"; !some.empty() && read < 200'000; read += some.size()) {
    EXPECT_FALSE(idle.readable_within(10));  // the pace is what is tested
    some = client.receive_some(100);
  }
  EXPECT_LT(read, 200'000U) << "and more than the least rate asks for";
  EXPECT_TRUE(running().eventually([this] { return held() == 0; }));
}

std::size_t resident() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

TEST_F(UnreadAnswers, a_bursts_memory_goes_back_to_the_system) {
  constexpr std::size_t count = 60;
  settings.buffered = 2 * count * large;
  ASSERT_EQ(client().ask("/small").status, 200);
  // After this, malloc takes as much from its heaps and not by mmap, as in a server that has answered for a while.
  EXPECT_EQ(std::string(large + 100'000, 'x').size(), large + 100'000);
  const std::size_t before = resident();
  std::vector<HttpClient> clients;
  for (std::size_t i = 0; i < count; ++i) clients.push_back(unread("/large"));
  ASSERT_TRUE(running().eventually([this] { return held() > count * large / 2; }));
  for (HttpClient& client : clients) client.peer().reset();
  clients.clear();
  ASSERT_TRUE(running().eventually([this] { return running().server().memory().trims() != 0; }));
  if (!TERN_SANITIZED) {
    EXPECT_LT(resident(), before + count * large / 4);
  }
}

}  // namespace
}  // namespace tern::testing
