// Publications of several threads to several loops.
#include "server/running_server.hpp"
#include "server/websocket_client.hpp"
#include "websocket/deflate.hpp"

#include <tern/tern.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <charconv>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tern::testing {
namespace {

constexpr std::string_view asks_for_deflate = "Sec-WebSocket-Extensions: permessage-deflate\r\n";

// A client of a topic, which its path names.
class TopicClient {
public:
  TopicClient(std::uint16_t port, std::string_view fields, int window_bits = 15) : client_(HttpClient(port)) {
    if (websocket::deflate_available()) inflater_ = std::make_unique<websocket::Inflater>(window_bits);
    EXPECT_EQ(client_.connect("/all", fields).status, 101);
    EXPECT_EQ(client_.next(), "text ready");
  }

  WebSocketClient& client() { return client_; }
  // The content of the next message; empty when there is none.
  std::string next() {
    const std::string line = client_.next();
    was_deflated_ = line.starts_with("deflated");
    if (!was_deflated_) return line.starts_with("text") ? client_.payload() : std::string();
    std::string inflated;
    EXPECT_EQ(inflater_->inflate(client_.payload(), inflated, 1'000'000), websocket::InflateResult::Done);
    return inflated;
  }
  bool was_deflated() const { return was_deflated_; }

private:
  WebSocketClient client_;
  std::unique_ptr<websocket::Inflater> inflater_;  // none without zlib
  bool was_deflated_ = false;
};

class PublishTest : public ::testing::Test {
protected:
  PublishTest() {
    app.websocket("/{topic}",
                  [this](WebSocket socket, std::string topic) -> Task<> {
                    socket.subscribe(topic);
                    socket.send("ready");
                    {
                      const std::lock_guard lock(mutex);
                      loops.insert(Executor::current());
                    }
                    while (auto message = co_await socket.receive()) socket.publish(topic, message->content);
                  },
                  {.compression = Compression::Together});
    app.get("/events/{topic}", [](std::string topic) {
      return event_stream([topic](EventStream& events) -> Task<> {
        events.subscribe(topic);
        while (const auto next = co_await events.receive()) co_await events.send(next->content);
      });
    });
  }

  App app;
  std::mutex mutex;
  std::set<Executor*> loops;  // that have a client
};

TEST_F(PublishTest, is_deflated_once_for_the_subscribers_of_all_loops) {
  if (!websocket::deflate_available()) GTEST_SKIP() << "built without zlib";
  RunningServer running(app.service(), {}, 3);
  websockets::SocketBus& bus = running.server().sockets();
  TopicClient plain(running.port(), "");
  std::vector<TopicClient> clients;
  const auto reached = [this] {
    const std::lock_guard lock(mutex);
    return loops.size();
  };
  for (int i = 0; i < 200 && reached() != 3; ++i) clients.emplace_back(running.port(), asks_for_deflate);
  clients.emplace_back(running.port(), asks_for_deflate);  // so that two are on one loop
  ASSERT_EQ(reached(), 3U);

  bus.publish({"elsewhere", std::string(1000, 'x')});
  EXPECT_EQ(bus.deflations(), 0U);
  for (int i = 0; i < 10; ++i) {
    const std::string content = std::string(1000, 'x') + std::to_string(i);
    bus.publish({"all", content});
    for (TopicClient& client : clients) {
      EXPECT_EQ(client.next(), content);
      EXPECT_TRUE(client.was_deflated());
    }
    EXPECT_EQ(plain.next(), content);
    EXPECT_FALSE(plain.was_deflated());
  }
  EXPECT_EQ(bus.deflations(), 10U);

  const std::string content(1000, 'y');
  plain.client().text(content);  // is published on a loop, to all others
  for (TopicClient& client : clients) EXPECT_EQ(client.next(), content);
  EXPECT_EQ(bus.deflations(), 11U);

  TopicClient small(running.port(), "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=10\r\n", 10);
  bus.publish({"all", std::string(500, 'z')});  // fits into every window
  EXPECT_EQ(bus.deflations(), 12U);
  EXPECT_EQ(small.next(), std::string(500, 'z'));
  EXPECT_TRUE(small.was_deflated());
  bus.publish({"all", "short"});
  EXPECT_EQ(bus.deflations(), 12U);
  EXPECT_EQ(small.next(), "short");
}

// What several threads have published, in the order of each.
class PublicationReader {
public:
  // False at the end.
  bool read(TopicClient& client) {
    const std::string content = client.next();
    if (content.empty()) return false;
    const std::size_t slash = content.find('/');
    int number = -1;
    std::from_chars(content.data() + slash + 1, content.data() + content.size(), number);
    auto [last, is_new] = last_.try_emplace(content.substr(0, slash), number);
    if (!is_new) {
      EXPECT_LT(std::exchange(last->second, number), number) << "from " << last->first;
    }
    return true;
  }

private:
  std::map<std::string, int> last_;  // by publisher
};

// Publishes numbers until it is stopped.
std::jthread publisher(App& app, const std::string& name, std::size_t size, std::atomic<bool>& going) {
  return std::jthread([&app, name, size, &going] {
    for (int i = 0; going; ++i) {
      std::string content = name + '/' + std::to_string(i) + ' ';
      if (content.size() < size) content.resize(size, 'x');
      app.publish("all", content);
      std::this_thread::yield();
    }
  });
}

// An event stream of the topic until some publications have come.
void watch_events(std::uint16_t port) {
  HttpClient client(port);
  client.get("/events/all");
  std::string seen;
  for (std::size_t events = 0; events < 10;) {
    const std::string some = client.receive_some();
    ASSERT_FALSE(some.empty());
    seen += some;
    events = 0;
    for (std::size_t at = seen.find("data: "); at != seen.npos; at = seen.find("data: ", at + 1)) ++events;
  }
}

// The judge is ThreadSanitizer, and AddressSanitizer for what is left over.
TEST_F(PublishTest, keeps_the_order_of_each_publisher_while_loops_and_sockets_come_and_go) {
  Options options;
  options.port = 0;
  options.threads = 3;
  options.logging.level = LogLevel::Off;
  std::atomic<bool> going = true;
  std::vector<std::jthread> publishers;
  for (int i = 0; i < 3; ++i) {
    publishers.push_back(publisher(app, "thread " + std::to_string(i), i == 0 ? 0 : 200, going));
  }
  for (int round = 0; round < 5; ++round) {
    app.start(options);
    TopicClient stays(app.port(), "");
    {
      std::vector<std::jthread> visitors;
      visitors.emplace_back([this] {
        for (int visit = 0; visit < 2; ++visit) watch_events(app.port());
      });
      for (int v = 0; v < 3; ++v) {
        visitors.emplace_back([&, v] {
          for (int visit = 0; visit < 4; ++visit) {
            TopicClient client(app.port(),
                               v == 0 || !websocket::deflate_available() ? std::string_view() : asks_for_deflate);
            const std::string name = "visitor " + std::to_string(v) + ", visit " + std::to_string(visit);
            PublicationReader reader;
            for (int i = 0; i < 30; ++i) {
              client.client().text(name + '/' + std::to_string(i));
              EXPECT_TRUE(reader.read(client));
            }
          }
        });
      }
    }
    const std::jthread stopping([this] { app.stop(); });
    PublicationReader reader;
    while (reader.read(stays)) {  // until it is closed
    }
    stays.client().send(websocket::testing::close(1001));
  }
  going = false;
  publishers.clear();
  EXPECT_EQ(app.publish("all", "not serving"), PublishStatus::Dropped);
}

}  // namespace
}  // namespace tern::testing
