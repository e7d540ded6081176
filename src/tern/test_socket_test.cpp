// WebSockets of the test client.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tern {
namespace {

using testing::Client;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TestWebSocket;

struct Line {
  std::string text;
};

// A handler object that records how it ends.
struct Recorder {
  std::vector<std::string>& told;
  void open(WebSocket& socket) { socket.send("welcome"); }
  void message(WebSocket& socket, Json<Line> line) {
    if (line->text == "throw") throw std::runtime_error("thrown");
    socket.send(Json<Line>{{line->text + "!"}});
  }
  void close(WebSocket&, std::uint16_t code, std::string_view reason) {
    told.push_back(std::to_string(code) + " " + std::string(reason));
  }
};

class TestSocketTest : public ::testing::Test {
protected:
  TestSocketTest() {
    app.websocket("/echo/{name}",
                  [this](WebSocket socket, Request& request, std::string name) -> Task<> {
                    co_await socket.send("hello " + name);
                    while (auto message = co_await socket.receive()) {
                      if (message->content == "bye") co_return;
                      if (message->content == "throw") throw std::runtime_error("thrown");
                      if (message->content == "wait") co_await sleep_for(Seconds(5));
                      if (message->content == "close") socket.close(4000, "enough");
                      co_await socket.send(*message);
                    }
                    told.push_back(std::to_string(socket.close_code()) + " " + std::string(request.path()));
                  },
                  {.max_message = 10, .protocols = {"v2", "v1"}});
    app.websocket("/lines", [this] { return Recorder{told}; });
    app.websocket("/room/{name}", [](WebSocket socket, std::string name) -> Task<> {
      socket.subscribe("room/" + name);
      socket.subscribe_filter("all/#");
      while (auto message = co_await socket.receive()) socket.publish("room/" + name, message->content);
    });
    app.get("/plain", [] { return "plain"; });
  }

  std::vector<std::string> told;
  App app;
};

TEST_F(TestSocketTest, carries_text_and_bytes_both_ways) {
  Client client(app);
  TestWebSocket socket = client.websocket("/echo/anna");
  EXPECT_EQ(socket.answer().status, 101);
  EXPECT_EQ(socket.answer().field("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(socket.receive_text(), "hello anna");
  EXPECT_EQ(socket.receive(), std::nullopt);
  socket.send("one");
  socket.send("two");
  EXPECT_EQ(socket.receive_text(), "one");
  EXPECT_EQ(socket.receive_text(), "two");
  socket.send_binary("\xFF");
  const auto bytes = socket.receive();
  ASSERT_TRUE(bytes);
  EXPECT_FALSE(bytes->is_text);
  EXPECT_EQ(bytes->content, "\xFF");
  EXPECT_THROW(socket.receive_text(), std::runtime_error);
  EXPECT_THROW(socket.send("\xFF"), std::invalid_argument);
  EXPECT_TRUE(socket.is_open());
  EXPECT_EQ(socket.close_code(), 0);
}

TEST_F(TestSocketTest, agrees_on_a_subprotocol_and_may_be_refused) {
  Client client(app);
  EXPECT_EQ(client.websocket("/echo/a").protocol(), "");
  EXPECT_EQ(client.websocket("/echo/a", {{"sec-websocket-protocol", "v1, v2"}}).protocol(), "v2");
  TestWebSocket foreign = client.websocket("/echo/a", {{"origin", "https://elsewhere.example"}});
  EXPECT_EQ(foreign.answer().status, 403);
  EXPECT_FALSE(foreign.is_open());
  EXPECT_THROW(foreign.send("x"), std::runtime_error);
  EXPECT_EQ(client.websocket("/nothing").answer().status, 404);
  EXPECT_EQ(client.websocket("/plain").answer().body, "plain");
  EXPECT_EQ(client.get("/echo/a").status, 426);
}

TEST_F(TestSocketTest, is_closed_by_either_side) {
  Client client(app);
  {
    TestWebSocket socket = client.websocket("/echo/a");
    socket.close(4001, "leaving");
    EXPECT_FALSE(socket.is_open());
    EXPECT_THAT(told, ElementsAre("4001 /echo/a"));
    socket.send("late");
    EXPECT_EQ(socket.receive_text(), "hello a");  // sent before
    EXPECT_EQ(socket.receive(), std::nullopt);
  }
  const auto closed_by = [&client](const char* text) {
    TestWebSocket socket = client.websocket("/echo/a");
    socket.send(text);
    return std::to_string(socket.close_code()) + " " + std::string(socket.close_reason());
  };
  EXPECT_EQ(closed_by("bye"), "1000 ");
  EXPECT_EQ(closed_by("close"), "4000 enough");
  EXPECT_EQ(closed_by("longer than ten"), "1009 ");
  client.print_reports(false);
  EXPECT_EQ(closed_by("throw"), "1011 ");
  EXPECT_THAT(client.reports(), ElementsAre(HasSubstr("thrown")));
  told.clear();
  {
    TestWebSocket gone = client.websocket("/echo/a");
  }
  EXPECT_THAT(told, ElementsAre("1006 /echo/a"));
}

TEST_F(TestSocketTest, calls_handler_objects) {
  Client client(app);
  TestWebSocket socket = client.websocket("/lines");
  EXPECT_EQ(socket.receive_text(), "welcome");
  socket.send(R"({"text": "hi"})");
  EXPECT_EQ(socket.receive_json<Line>().text, "hi!");
  EXPECT_THROW(client.websocket("/lines").receive_json<Line>(), std::runtime_error);
  socket.send("no json");
  EXPECT_EQ(socket.close_code(), 1007);
  EXPECT_THAT(told, ElementsAre("1006 ", "1007 not what is expected"));
  client.print_reports(false);
  TestWebSocket throws = client.websocket("/lines");
  throws.send(R"({"text": "throw"})");
  EXPECT_EQ(throws.close_code(), 1011);
}

TEST_F(TestSocketTest, has_the_clients_time) {
  Client client(app);
  TestWebSocket socket = client.websocket("/echo/a");
  EXPECT_EQ(socket.receive_text(), "hello a");
  socket.send("wait");
  EXPECT_EQ(socket.receive(), std::nullopt);
  client.advance(Seconds(5));
  EXPECT_EQ(socket.receive_text(), "wait");
  socket.send("wait");  // and is destroyed meanwhile
}

TEST_F(TestSocketTest, receives_what_is_published) {
  Client client(app);
  TestWebSocket one = client.websocket("/room/7");
  TestWebSocket two = client.websocket("/room/7");
  TestWebSocket other = client.websocket("/room/8");
  one.send("hi");
  EXPECT_EQ(two.receive_text(), "hi");
  EXPECT_EQ(one.receive(), std::nullopt);
  EXPECT_EQ(other.receive(), std::nullopt);
  EXPECT_EQ(app.publish("room/8", "eight"), PublishStatus::Sent);
  EXPECT_EQ(other.receive_text(), "eight");
  app.publish_binary("all/of/you", "bytes");
  for (TestWebSocket* each : {&one, &two, &other}) EXPECT_FALSE(each->receive()->is_text);
  two.close();
  app.publish("room/7", "later");
  EXPECT_EQ(one.receive_text(), "later");
  EXPECT_EQ(two.receive(), std::nullopt);
}

TEST_F(TestSocketTest, publications_are_dropped_after_the_end_of_the_client) {
  {
    Client client(app);
    client.websocket("/room/7");
  }
  EXPECT_EQ(app.publish("room/7", "late"), PublishStatus::Dropped);
}

}  // namespace
}  // namespace tern
