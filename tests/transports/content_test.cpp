// Content of requests that is taken whole: late, too much, unwanted.
#include "transports/transport_test.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace tern::testing {
namespace {

// Remembers which thread has made the last.
std::atomic<std::thread::id> making_thread;
struct Made {
  int value = (making_thread = std::this_thread::get_id(), 0);
};
struct Many {
  std::vector<Made> items;
};

std::string json_of(std::size_t items) {
  std::string text = "{\"items\":[{\"value\":1}";
  for (std::size_t i = 1; i < items; ++i) text += ",{\"value\":1}";
  return text + "]}";
}

using Contents = TransportTest;
INSTANTIATE_TEST_SUITE_P(Over, Contents, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

const FieldPairs expects = {{"expect", "100-continue"}, {"content-length", "4"}};

TEST_P(Contents, are_followed_by_trailers) {
  const auto told = [](const Request& request) {
    const auto& trailers = request.trailers();
    std::string text;
    for (const Field& each : trailers) text.append(each.name).append("=").append(each.value).append(";");
    return text + (request.field("x-sum") ? "merged" : "apart");
  };
  app.post("/whole", [told](const Request& request) { return std::string(request.body()) + " " + told(request); });
  app.post("/pieces", [told](BodyStream body, const Request& request) -> Task<std::string> {
    std::string text;
    while (const auto piece = co_await body.next()) text += *piece;
    const std::string sum(body.trailers().find("X-Sum").value_or("none"));
    co_return text + " " + sum + " " + told(request);
  });
  TransportClient client = make_client();
  for (const bool late : {false, true}) {
    for (const auto& [path, expected] : {std::pair("/whole", "content x-sum=7;host=b;apart"),
                                         std::pair("/pieces", "content 7 x-sum=7;host=b;apart")}) {
      client.begin(path, "content");
      if (late) settle();
      client.end_with({{"x-sum", "7"}, {"host", "b"}});
      EXPECT_EQ(client.answer().content, expected);
      client.post(path, "content");  // those before are not seen again
      EXPECT_TRUE(client.answer().content.ends_with(" apart")) << client.response_so_far().content;
    }
  }
  EXPECT_TRUE(all_ended());
}

TEST_P(Contents, that_are_not_read_have_their_trailers_dropped) {
  app.post("/unwanted", [] { return "answered"; });
  TransportClient client = make_client();
  client.begin("/unwanted", "content");
  client.end_with({{"x-sum", "7"}});
  EXPECT_EQ(client.answer().content, "answered");
  EXPECT_EQ(client.answer_of("/hello").status, 200);
}

TEST_P(Contents, of_every_size_around_a_buffer) {
  TransportClient client = make_client();
  for (const std::size_t size : {0UL, 1UL, 9UL, 16'383UL, 16'384UL, 16'385UL, 65'535UL, 65'536UL, 65'537UL, 131'072UL,
                                 262'144UL, 262'145UL, 3'000'000UL}) {
    client.post("/echo", pattern(size));
    EXPECT_TRUE(client.answer().content == pattern(size)) << size;
  }
  EXPECT_TRUE(all_ended());
}

TEST_P(Contents, in_pieces_of_every_size) {
  TransportClient client = make_client();
  const std::string content = pattern(100'000);
  for (const std::size_t size : {977UL, 16'384UL, 65'536UL, 100'000UL}) {
    client.begin("/echo");
    for (std::size_t at = 0; at < content.size(); at += size) client.send(content.substr(at, size));
    client.end();
    EXPECT_TRUE(client.answer().content == content) << size;
  }
}

TEST_P(Contents, that_arrive_bit_by_bit) {
  TransportClient client = make_client();
  client.begin("/echo");
  std::string all;
  for (int i = 0; i < 50; ++i) {
    client.send(std::to_string(i));
    running().on_loop([] {});
    all += std::to_string(i);
  }
  client.end();
  EXPECT_EQ(client.answer().content, all);
}

TEST_P(Contents, that_arrive_after_the_handler_was_blocked) {
  TransportClient client = make_client();
  client.begin("/gated/echo", "01234", {{"content-length", "10"}});
  ASSERT_TRUE(gate.await());
  client.send("567");
  gate.open();
  client.send("89", true);
  EXPECT_EQ(client.answer().content, "0123456789");
}

TEST_P(Contents, that_were_complete_before_the_handler_was_blocked) {
  TransportClient first = make_client();
  first.post("/gated/echo", "0123456789");
  ASSERT_TRUE(gate.await());
  EXPECT_EQ(make_client().answer_of("/large/60000").content.size(), 60'000U);  // uses the loop's buffer
  gate.open();
  EXPECT_EQ(first.answer().content, "0123456789");
}

TEST_P(Contents, large_ones_wait_outside_while_the_handler_is_blocked) {
  TransportClient client = make_client();
  const std::string content = pattern(5'000'000);
  client.post("/gated/echo", content);
  ASSERT_TRUE(gate.await());
  settle();
  EXPECT_LE(running().worker().context().shared().memory.used(), 1'000'000U);
  gate.open();
  EXPECT_TRUE(client.answer().content == content);
}

TEST_P(Contents, are_asked_for_when_the_client_waits_and_the_handler_wants_them) {
  TransportClient client = make_client();
  client.begin("/gated/echo", {}, expects);
  ASSERT_TRUE(gate.await());
  settle();
  EXPECT_TRUE(client.response_so_far().interim.empty());
  gate.open();
  ASSERT_TRUE(client.until([](const ClientResponse& response) { return !response.interim.empty(); }));
  client.send("body", true);
  EXPECT_EQ(client.answer().content, "body");
  EXPECT_EQ(client.response_so_far().interim, std::vector{100});
  EXPECT_EQ(client.answer_of("/hello").status, 200);
}

TEST_P(Contents, are_not_requested_when_they_are_unwanted) {
  const std::vector<std::pair<std::string, int>> cases = {{"/nothing", 404}, {"/unread", 200}, {"/hello", 405}};
  for (const auto& [path, status] : cases) {
    TransportClient client = make_client();
    client.begin(path, {}, expects);
    EXPECT_EQ(client.answer().status, status);
    EXPECT_TRUE(client.response_so_far().interim.empty());
  }
}

TEST_P(Contents, are_not_asked_for_when_they_are_too_large) {
  settings.limits.max_body_bytes = 3;
  TransportClient client = make_client();
  client.begin("/echo", {}, expects);
  EXPECT_EQ(client.answer().status, 413);
  EXPECT_TRUE(client.response_so_far().interim.empty());
}

TEST_P(Contents, that_are_announced_too_large_are_refused_before_they_come) {
  TransportClient client = make_client();
  client.begin("/echo", {}, {{"content-length", "99999999999"}});
  EXPECT_EQ(client.answer().status, 413);
  EXPECT_EQ(client.response_so_far().field("content-type"), "application/problem+json");
}

TEST_P(Contents, that_turn_out_too_large_are_refused) {
  settings.limits.max_body_bytes = 1000;
  for (const std::size_t size : {1000UL, 1001UL}) {
    TransportClient client = make_client();
    client.begin("/echo");
    for (std::size_t at = 0; at < size; at += 100) client.send(pattern(std::min(100UL, size - at)));
    client.end();
    EXPECT_EQ(client.answer().status, size == 1000 ? 200 : 413);
  }
}

TEST_P(Contents, are_held_to_the_limit_of_their_route) {
  TransportClient client = make_client();
  client.post("/small", pattern(100));
  EXPECT_TRUE(client.answer().content == pattern(100));
  client.post("/small", pattern(101));
  EXPECT_EQ(client.answer().status, 413);
}

TEST_P(Contents, that_are_not_read_are_skipped) {
  TransportClient client = make_client();
  for (const std::size_t size : {0UL, 10UL, 50'000UL}) {
    client.post("/unread", pattern(size));
    EXPECT_EQ(client.answer().content, "not looked at");
    client.post("/nothing", pattern(size));
    EXPECT_EQ(client.answer().status, 404);
  }
  EXPECT_EQ(client.answer_of("/hello").status, 200);
}

TEST_P(Contents, large_unread_ones_do_not_keep_the_answer_from_arriving) {
  TransportClient client = make_client();
  client.post("/unread", pattern(1'000'000));
  EXPECT_EQ(client.answer().content, "not looked at");
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(running().worker().context().shared().memory.used(), 0U);
}

TEST_P(Contents, together_they_are_bounded) {
  settings.buffered = 300'000;
  const FieldPairs length = {{"content-length", "200000"}};
  std::vector<TransportClient> callers;
  for (int i = 0; i < 2; ++i) {
    callers.push_back(make_client());
    callers.back().begin("/size", pattern(140'000), length);
  }
  const auto charged = [this] { return running().worker().context().shared().memory.used(); };
  ASSERT_TRUE(running().eventually([&] {
    for (TransportClient& each : callers) each.take_ready();
    return charged() == 280'000;
  }));
  TransportClient third = make_client();
  third.begin("/size", pattern(140'000), length);
  EXPECT_EQ(third.answer().status, 503);
  EXPECT_EQ(third.response_so_far().field("retry-after"), "1");
  callers[0].cancel();  // gives back what it had
  ASSERT_TRUE(running().eventually([&] { return charged() == 140'000; }));
  callers[1].send(pattern(60'000), true);
  EXPECT_EQ(callers[1].answer().content, "200000");
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(charged(), 0U);
}

// Large content with a known length is received directly into the collected content.
TEST_P(Contents, large_ones_come_whole_however_they_are_cut) {
  TransportClient client = make_client();
  for (const std::size_t size : {262'145UL, 1'000'000UL, 5'000'001UL}) {
    const std::string content = pattern(size);
    for (const std::size_t piece : {70'001UL, 700'000UL, 5'000'001UL}) {
      client.begin("/echo", {}, {{"content-length", std::to_string(size)}});
      for (std::size_t at = 0; at < size; at += piece) client.send(content.substr(at, piece));
      client.end();
      EXPECT_TRUE(client.answer().content == content) << size << " in pieces of " << piece;
    }
  }
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(running().worker().context().shared().memory.used(), 0U);
}

TEST_P(Contents, large_ones_are_counted_once) {
  settings.buffered = 5'100'000;
  TransportClient client = make_client();
  const std::string content = pattern(5'000'000);
  for (int i = 0; i < 3; ++i) {
    client.begin("/echo", content, {{"content-length", "5000000"}});
    client.end();
    EXPECT_TRUE(client.answer().content == content) << client.response_so_far().status;
  }
}

TEST_P(Contents, large_ones_that_are_broken_off_leave_nothing_behind) {
  for (const Disconnection how : {Disconnection::Cancel, Disconnection::Reset}) {
    TransportClient client = make_client();
    client.begin("/echo", pattern(2'000'000), {{"content-length", "5000000"}});
    ASSERT_TRUE(running().eventually([&] {
      client.take_ready();
      return running().worker().context().shared().memory.used() >= 2'000'000U;
    }));
    go(client, how);
    EXPECT_TRUE(all_ended());
    EXPECT_EQ(running().worker().context().shared().memory.used(), 0U);
  }
}

TEST_P(Contents, large_ones_that_the_end_of_the_clients_side_cuts_off_are_no_complete_request) {
  TransportClient client = make_client();
  client.begin("/echo", pattern(2'000'000), {{"content-length", "5000000"}});
  ASSERT_TRUE(running().eventually([&] {
    client.take_ready();
    return running().worker().context().shared().memory.used() >= 2'000'000U;
  }));
  client.end_side();
  EXPECT_NE(client.answer().status, 200);
  EXPECT_TRUE(all_ended());
}

TEST_P(Contents, large_ones_for_which_no_memory_is_left_are_refused_in_the_midst) {
  settings.buffered = 1'500'000;
  TransportClient client = make_client();
  client.begin("/echo", pattern(4'000'000), {{"content-length", "5000000"}});
  EXPECT_EQ(client.answer().status, 503);
  EXPECT_TRUE(running().eventually([this] { return running().worker().context().shared().memory.used() == 0; }));
}

TEST_P(Contents, that_the_end_of_the_clients_side_cuts_off_are_no_complete_request) {
  TransportClient client = make_client();
  client.begin("/echo", "01234", {{"content-length", "10"}});
  ASSERT_TRUE(in_use(1));
  client.end_side();
  EXPECT_NE(client.answer().status, 200);
  EXPECT_TRUE(all_ended());
}

TEST_P(Contents, large_json_is_read_beside_the_loop) {
  std::atomic<bool> beside = false;
  app.post("/json", [&beside](const Json<Many>& many) {
    beside = making_thread.load() != std::this_thread::get_id();
    return many->items.size();
  });
  TransportClient client = make_client();
  const FieldPairs type = {{"content-type", "application/json"}};
  client.post("/json", json_of(1000), type);
  EXPECT_EQ(client.answer().content, "1000");
  EXPECT_FALSE(beside);
  client.post("/json", json_of(50'000), type);
  EXPECT_EQ(client.answer().content, "50000");
  EXPECT_TRUE(beside);
  client.post("/json", json_of(50'000) + "]", type);
  EXPECT_EQ(client.answer().status, 400);
  client.post("/json", "{\"items\":1" + std::string(300'000, ' ') + "}", type);
  EXPECT_EQ(client.answer().status, 422);
  EXPECT_TRUE(all_ended());
}

}  // namespace
}  // namespace tern::testing
