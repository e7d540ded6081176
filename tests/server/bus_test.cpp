// Apps that a bus joins: who gets what is published, and when a bus starts and ends. The bus of these tests joins apps
// of one process.
#include "server/websocket_client.hpp"

#include <tern/http/bus.hpp>
#include <tern/tern.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tern::testing {
namespace {

using ::testing::ElementsAre;

// Where buses of several apps meet, and what has happened there.
class Exchanges {
public:
  struct Place {
    BusHost* host;
    Executor* executor;
  };

  void join(BusHost& host) {
    const std::lock_guard lock(mutex_);
    places_.push_back({&host, Executor::current()});
  }
  void leave(const BusHost& host) {
    const std::lock_guard lock(mutex_);
    std::erase_if(places_, [&host](const Place& place) { return place.host == &host; });
  }
  // An executor that has stopped by then drops it.
  void pass_on(const Publication& publication, const BusHost* from) {
    const std::lock_guard lock(mutex_);
    for (const Place& place : places_) {
      if (place.host == from) continue;
      place.executor->post([host = place.host, topic = std::string(publication.topic),
                            content = std::string(publication.content),
                            is_text = publication.is_text] { host->deliver({topic, content, is_text}); });
    }
  }
  void tell(std::string what) {
    const std::lock_guard lock(mutex_);
    story_.push_back(std::move(what));
  }
  std::vector<std::string> story() {
    const std::lock_guard lock(mutex_);
    return story_;
  }

private:
  std::mutex mutex_;
  std::vector<Place> places_;
  std::vector<std::string> story_;
};

class FakeBus final : public Bus {
public:
  explicit FakeBus(Exchanges& exchanges, bool works = true) : exchanges_(exchanges), works_(works) {}

  Task<> start(BusHost& host) override {
    exchanges_.tell("bus starts");
    co_await yield();
    if (!works_) throw std::runtime_error("no such bus");
    host_ = &host;
    exchanges_.join(host);
    exchanges_.tell("bus has started");
  }
  PublishStatus publish(const Publication& publication) override {
    if (publication.topic == "full") return PublishStatus::Dropped;
    exchanges_.pass_on(publication, host_);
    return PublishStatus::Sent;
  }
  Task<> stop() override {
    co_await yield();
    exchanges_.tell("bus has stopped");
  }
  void end() noexcept override {
    if (host_ != nullptr) exchanges_.leave(*host_);
    exchanges_.tell("bus has ended");
  }

private:
  Exchanges& exchanges_;
  bool works_;
  BusHost* host_ = nullptr;
};

Options quiet() {
  Options options;
  options.port = 0;
  options.threads = 2;
  options.logging.level = LogLevel::Off;
  return options;
}

// Subscribes to its path, and publishes what it gets: text there, bytes to "bytes".
Task<> member(WebSocket socket, std::string filter) {
  socket.subscribe_filter(filter);
  socket.send("ready");
  while (auto message = co_await socket.receive()) {
    message->is_text ? socket.publish("room/7", message->content) : socket.publish_binary("bytes", message->content);
  }
}

class BusTest : public ::testing::Test {
protected:
  void start(App& app) {
    app.websocket("/{filter...}", member);
    app.bus(FakeBus(exchanges));
    app.start(quiet());
  }
  static WebSocketClient subscriber(const App& app, std::string_view filter) {
    WebSocketClient client(HttpClient(app.port(), 0, false));
    EXPECT_EQ(client.connect("/" + std::string(filter)).status, 101);
    EXPECT_EQ(client.next(), "text ready");
    return client;
  }

  Exchanges exchanges;
};

TEST_F(BusTest, what_one_app_publishes_reaches_the_subscribers_of_all_once) {
  App one;
  App two;
  start(one);
  start(two);
  WebSocketClient here = subscriber(one, "room/7");
  WebSocketClient there = subscriber(two, "room/7");
  WebSocketClient wild = subscriber(two, "room/+");
  WebSocketClient elsewhere = subscriber(two, "room/8");
  EXPECT_EQ(one.publish("room/7", "from one"), PublishStatus::Sent);
  EXPECT_EQ(two.publish("room/7", "from two"), PublishStatus::Sent);
  for (WebSocketClient* client : {&there, &wild}) {
    const std::vector<std::string> both{client->next(), client->next()};
    EXPECT_THAT(both, ::testing::UnorderedElementsAre("text from one", "text from two"));
  }
  const std::vector<std::string> both{here.next(), here.next()};
  EXPECT_THAT(both, ::testing::UnorderedElementsAre("text from one", "text from two"));

  here.text("to all but me");
  EXPECT_EQ(there.next(), "text to all but me");
  EXPECT_EQ(wild.next(), "text to all but me");
  two.publish("room/8", "the end");
  EXPECT_EQ(elsewhere.next(), "text the end");
  EXPECT_EQ(wild.next(), "text the end");
  two.publish("room/7", "the end");
  EXPECT_EQ(here.next(), "text the end");  // and nothing before it
}

TEST_F(BusTest, bytes_are_delivered_as_bytes) {
  App one;
  App two;
  start(one);
  start(two);
  WebSocketClient here = subscriber(one, "bytes");
  WebSocketClient there = subscriber(two, "%23");
  const std::string bytes("\0\xFF\r\n", 4);
  EXPECT_EQ(one.publish_binary("bytes", bytes), PublishStatus::Sent);
  EXPECT_EQ(here.next(), "binary " + bytes);
  EXPECT_EQ(there.next(), "binary " + bytes);
  here.binary(bytes);
  EXPECT_EQ(there.next(), "binary " + bytes);
}

TEST_F(BusTest, a_topic_and_a_filter_of_the_same_text_differ_on_all_servers) {
  App one;
  App two;
  two.websocket("/literal/{topic...}", [](WebSocket socket, std::string topic) -> Task<> {
    socket.subscribe(topic);
    socket.send("ready");
    co_await socket.receive();
  });
  start(one);
  start(two);
  WebSocketClient wild = subscriber(two, "room/+");
  WebSocketClient spy = subscriber(two, "literal/room/+");
  EXPECT_EQ(two.subscribers("room/+"), 1U);
  EXPECT_EQ(two.filter_subscribers("room/+"), 1U);
  one.publish("room/7", "first");
  EXPECT_EQ(wild.next(), "text first");
  EXPECT_THROW(one.publish("room/+", "refused"), std::invalid_argument);
  EXPECT_THROW(one.publish_binary("#", "refused"), std::invalid_argument);
  exchanges.pass_on({"room/+", "of another server on the bus"}, nullptr);  // reaches two before what follows
  exchanges.pass_on({"room/8", "not UTF-8: \xE9"}, nullptr);
  exchanges.pass_on({"room/8", "last"}, nullptr);
  EXPECT_EQ(wild.next(), "text last");
  spy.text("end");
  EXPECT_EQ(spy.next(), "close 1000");
}

TEST_F(BusTest, the_status_is_that_of_the_way_to_other_servers) {
  App app;
  app.websocket("/{filter...}", member);
  EXPECT_EQ(app.publish("full", "not serving"), PublishStatus::Dropped);
  app.start(quiet());
  EXPECT_EQ(app.publish("full", "there is no bus"), PublishStatus::Sent);
}

TEST_F(BusTest, what_the_bus_drops_is_delivered_here) {
  App app;
  app.websocket("/{filter...}", member);
  app.bus(FakeBus(exchanges));
  app.start(quiet());
  WebSocketClient here = subscriber(app, "full");
  EXPECT_EQ(app.publish("full", "all the same"), PublishStatus::Dropped);
  EXPECT_EQ(here.next(), "text all the same");
}

TEST_F(BusTest, starts_before_the_start_hooks_and_stops_after_the_stop_hooks_each_time) {
  App app;
  app.bus(FakeBus(exchanges));
  app.on_start([this] { exchanges.tell("on_start"); });
  app.on_stop([this] { exchanges.tell("on_stop"); });
  for (int i = 0; i < 2; ++i) {
    app.start(quiet());
    app.stop();
  }
  EXPECT_THAT(exchanges.story(),
              ElementsAre("bus starts", "bus has started", "on_start", "on_stop", "bus has stopped", "bus has ended",
                          "bus starts", "bus has started", "on_start", "on_stop", "bus has stopped", "bus has ended"));
}

TEST_F(BusTest, what_a_stop_hook_publishes_still_arrives) {
  App listening;
  listening.websocket("/{filter...}", member);
  listening.bus(FakeBus(exchanges));
  listening.start(quiet());
  WebSocketClient there = subscriber(listening, "last");
  App app;
  app.bus(FakeBus(exchanges));
  app.on_stop([&app] { app.publish("last", "words"); });
  app.start(quiet());
  app.stop();
  EXPECT_EQ(there.next(), "text words");
}

TEST_F(BusTest, a_bus_that_does_not_start_ends_the_start) {
  App app;
  app.bus(FakeBus(exchanges, false));
  app.on_start([this] { exchanges.tell("on_start"); });
  EXPECT_THROW(app.start(quiet()), std::runtime_error);
  EXPECT_EQ(app.publish("a", "b"), PublishStatus::Dropped);
  EXPECT_THAT(exchanges.story(), ElementsAre("bus starts", "bus has ended"));
}

TEST_F(BusTest, a_start_hook_that_fails_ends_the_bus_without_a_stop) {
  App app;
  app.bus(FakeBus(exchanges));
  app.on_start([] { throw std::runtime_error("no database"); });
  EXPECT_THROW(app.start(quiet()), std::runtime_error);
  EXPECT_THAT(exchanges.story(), ElementsAre("bus starts", "bus has started", "bus has ended"));
}

TEST_F(BusTest, an_app_has_one_bus_set_before_the_start) {
  App app;
  app.bus(FakeBus(exchanges));
  app.bus(FakeBus(exchanges));
  EXPECT_THROW(app.start(quiet()), SetupError);
  App running;
  running.start(quiet());
  EXPECT_THROW(running.bus(FakeBus(exchanges)), SetupError);
}

}  // namespace
}  // namespace tern::testing
