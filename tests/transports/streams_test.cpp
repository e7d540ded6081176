// Responses that are made while they are sent: pieces, events, backpressure, producers that fail and clients that go.
#include "transports/transport_test.hpp"

#include <tern/http/event_stream.hpp>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

namespace tern::testing {
namespace {

using Streams = TransportTest;
INSTANTIATE_TEST_SUITE_P(Over, Streams, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

// Tells when the frame that holds it has gone.
struct Mark {
  explicit Mark(std::atomic<int>& at) : count(at) {}
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  ~Mark() { ++count; }
  std::atomic<int>& count;
};

TEST_P(Streams, pieces_arrive_before_the_producer_has_ended) {
  app.get("/", [this] {
    return Response::stream("text/plain", [this](Writer& writer) -> Task<> {
      co_await writer.write("one ");
      co_await gate.pass();
      co_await writer.write("two");
    });
  });
  TransportClient client = make_client();
  client.get("/");
  ASSERT_TRUE(client.until_content("one "));
  ASSERT_TRUE(gate.await());
  EXPECT_FALSE(client.response_so_far().complete);
  gate.open();
  EXPECT_EQ(client.answer().content, "one two");
  EXPECT_TRUE(client.response_so_far().complete);
  EXPECT_TRUE(all_ended());
}

TEST_P(Streams, a_large_one_arrives_whole) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      const std::string all = pattern(5'000'000);
      for (std::size_t at = 0; at < all.size(); at += 70'001) co_await writer.write(all.substr(at, 70'001));
    });
  });
  EXPECT_TRUE(make_client().answer_of("/").content == pattern(5'000'000));
  EXPECT_TRUE(all_ended());
}

TEST_P(Streams, head_sends_no_content_and_runs_no_producer) {
  std::atomic<int> runs = 0;
  app.get("/", [&runs] {
    return Response::stream("text/plain", [&runs](Writer& writer) -> Task<> {
      ++runs;
      co_await writer.write("x");
    });
  });
  TransportClient client = make_client();
  client.ask({.method = "HEAD"});
  EXPECT_EQ(client.answer().status, 200);
  EXPECT_EQ(client.response_so_far().content, "");
  EXPECT_EQ(client.answer_of("/").content, "x");
  EXPECT_EQ(runs, 1);
}

TEST_P(Streams, trailers_follow_the_content) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      co_await writer.write("x");
      writer.trailers().set("x-sum", "7");
    });
  });
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/").content, "x");
  EXPECT_EQ(client.response_so_far().trailers, (FieldPairs{{"x-sum", "7"}}));
  EXPECT_EQ(client.response_so_far().field("x-sum"), "");
}

Generator<std::string> lines(int count) {
  for (int i = 0; i < count; ++i) co_yield std::to_string(i) + "\n";
}

TEST_P(Streams, a_generator_is_a_producer) {
  app.get("/", [] { return Response::stream("text/plain", lines(3)); });
  EXPECT_EQ(make_client().answer_of("/").content, "0\n1\n2\n");
}

TEST_P(Streams, a_producer_that_fails_breaks_the_content_off) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      co_await writer.write("begun");
      throw std::runtime_error("the disk is gone");
    });
  });
  TransportClient client = make_client();
  const ClientResponse& response = client.answer_of("/");
  EXPECT_TRUE(response.broken);
  EXPECT_FALSE(response.complete);
  EXPECT_TRUE(all_ended());
}

TEST_P(Streams, a_slow_reader_stops_the_producer) {
  constexpr std::size_t piece = 64 * 1024;
  constexpr int pieces = 400;
  std::atomic<int> written = 0;
  app.get("/", [&written] {
    return Response::stream("application/octet-stream", [&written](Writer& writer) -> Task<> {
      const std::string bytes(piece, 'x');
      for (int i = 0; i < pieces; ++i, ++written) co_await writer.write(bytes);
    });
  });
  TransportClient client = this->make_client(64 * 1024);
  client.get("/");
  TransportClient other = make_client();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(other.answer_of("/hello").status, 200);
  EXPECT_LT(written, 150);  // what the kernel's buffers take, and a quarter of a megabyte
  EXPECT_EQ(client.answer().content.size(), piece * pieces);
  EXPECT_EQ(written, pieces);
}

Task<> write_large(Writer& writer, char what) {
  const std::string bytes(1'000'000, what);
  co_await writer.write(bytes);
}

TEST_P(Streams, several_may_write_at_the_same_time) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      co_await when_all(write_large(writer, 'a'), write_large(writer, 'b'), write_large(writer, 'c'));
    });
  });
  TransportClient client = this->make_client(64 * 1024);
  const std::string& content = client.answer_of("/").content;
  for (const char what : {'a', 'b', 'c'}) EXPECT_EQ(std::ranges::count(content, what), 1'000'000);
}

TEST_P(Streams, a_write_that_waits_can_be_given_up) {
  std::atomic<int> timed_out = 0;
  app.get("/", [&timed_out] {
    return Response::stream("text/plain", [&timed_out](Writer& writer) -> Task<> {
      try {
        co_await with_timeout(Milliseconds(10), [](Writer& to) -> Task<> {
          const std::string bytes(8'000'000, 'x');
          co_await to.write(bytes);
        }(writer));
      } catch (const TimedOut&) {
        ++timed_out;
      }
      try {
        co_await with_timeout(Milliseconds(10), writer.write("y"));
      } catch (const TimedOut&) {
        ++timed_out;
      }
    });
  });
  TransportClient client = this->make_client(64 * 1024);
  client.get("/");
  ASSERT_TRUE(running().eventually([&] { return timed_out == 2; }));
  EXPECT_TRUE(client.answer().content.ends_with("xxy"));
}

TEST_P(Streams, a_client_that_goes_ends_the_producer_wherever_it_waits) {
  std::atomic<int> ended = 0;
  app.get("/{where}", [&ended, this](int where) {
    return Response::stream("text/plain", [&ended, this, where](Writer& writer) -> Task<> {
      const Mark mark(ended);
      co_await writer.write("begun");
      if (where == 0) co_await sleep_for(Seconds(3600));
      if (where == 1) co_await gate.pass();
      const std::string bytes(1024 * 1024, 'x');
      while (true) co_await writer.write(bytes);
    });
  });
  int count = 0;
  for (const Disconnection how : {Disconnection::Cancel, Disconnection::Reset}) {
    for (int where = 0; where < 3; ++where) {
      TransportClient client = this->make_client(64 * 1024);
      client.get("/" + std::to_string(where));
      ASSERT_TRUE(client.until_content("begun"));
      if (where == 1) {
        ASSERT_TRUE(gate.await());
      }
      go(client, how);
      if (where == 1) settle();
      gate.open();
      ASSERT_TRUE(all_ended()) << where;
      EXPECT_EQ(ended, ++count);
    }
  }
}

TEST_P(Streams, views_of_the_request_stay_valid) {
  app.get("/{name}", [this](std::string_view name, Request& request) {
    return Response::stream("text/plain", [this, name, &request](Writer& writer) -> Task<> {
      co_await gate.pass();
      co_await writer.write(name);
      co_await writer.write(request.field("x-test").value_or("missing"));
    });
  });
  TransportClient first = make_client();
  first.get("/arctic-tern", {{"x-test", "seen"}});
  ASSERT_TRUE(gate.await());
  TransportClient second = make_client();
  second.get("/another-one", {{"x-test", "overwritten"}});
  ASSERT_TRUE(gate.await(2));
  gate.open();
  EXPECT_EQ(first.answer().content, "arctic-ternseen");
  EXPECT_EQ(second.answer().content, "another-oneoverwritten");
}

TEST_P(Streams, early_hints_come_before_the_answer) {
  app.get("/", [](Request& request) -> Task<std::string> {
    Fields fields;
    fields.set("Link", "</a.css>; rel=preload");
    request.exchange().inform(Status::EarlyHints, fields);
    co_await sleep_for(Milliseconds(1));
    co_return "answer";
  });
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/").content, "answer");
  EXPECT_EQ(client.response_so_far().interim, std::vector{103});
}

// --- Events ---

TEST_P(Streams, events_are_written_as_browsers_read_them) {
  app.get("/events", [] {
    return event_stream([](EventStream& events) -> Task<> {
      co_await events.send({.data = "first\nsecond", .event = "note", .id = "7", .retry = Milliseconds(250)});
      co_await events.send("plain");
    });
  });
  TransportClient client = make_client();
  const ClientResponse& answer = client.answer_of("/events");
  EXPECT_EQ(answer.field("content-type"), "text/event-stream");
  EXPECT_EQ(answer.field("cache-control"), "no-store");
  EXPECT_EQ(answer.content, "event: note\nid: 7\nretry: 250\ndata: first\ndata: second\n\ndata: plain\n\n");
}

TEST_P(Streams, silent_events_are_kept_alive_by_comments) {
  app.get("/events", [this] {
    return event_stream([this](EventStream&) -> Task<> { co_await gate.pass(); }, {.keep_alive = Milliseconds(5)});
  });
  TransportClient client = make_client();
  client.get("/events");
  EXPECT_TRUE(client.until_content(":\n\n:\n\n"));
  gate.open();
}

class Events : public TransportTest {
protected:
  // Sends one event, and then nothing for a long time.
  Response endless() {
    return event_stream(
        [this](EventStream& events) -> Task<> {
          const Mark mark(ended);
          co_await events.send("hello");
          co_await sleep_for(Seconds(3600));
        },
        {.keep_alive = Seconds(3600)});
  }
  std::atomic<int> ended = 0;
};
INSTANTIATE_TEST_SUITE_P(Over, Events, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

TEST_P(Events, end_at_once_when_their_client_has_ended_its_side) {
  app.get("/events", [this] { return endless(); });
  TransportClient client = make_client();
  client.get("/events");
  ASSERT_TRUE(client.until_content("hello"));
  client.end_side();
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(ended, 1);
}

TEST_P(Events, that_begin_late_end_at_once_too) {
  app.get("/waited", [this]() -> Task<Response> {
    co_await yield();
    co_return endless();
  });
  app.post("/content", [this](BodyStream body) -> Task<Response> {
    while (co_await body.next()) {
    }
    co_return endless();
  });
  TransportClient waited = make_client();
  waited.get("/waited");
  ASSERT_TRUE(waited.until_content("hello"));
  waited.end_side();
  EXPECT_TRUE(all_ended());
  TransportClient content = make_client();
  content.begin("/content", "a", {{"content-length", "2"}});
  ASSERT_TRUE(in_use(1));
  content.send("b", true);
  ASSERT_TRUE(content.until_content("hello"));
  content.end_side();
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(ended, 2);
}

TEST_P(Events, end_when_their_client_goes) {
  app.get("/events", [this] { return endless(); });
  for (const Disconnection how : {Disconnection::Cancel, Disconnection::Reset}) {
    TransportClient client = make_client();
    client.get("/events");
    ASSERT_TRUE(client.until_content("hello"));
    go(client, how);
    EXPECT_TRUE(all_ended());
  }
  EXPECT_EQ(ended, 2);
}

// Sends what is published to `subscribe`d topics, as "topic=content".
template <class F>
auto forwarding(F subscribe, const EventStreamOptions& options = {}) {
  return [subscribe, options] {
    return event_stream(
        [subscribe](EventStream& events) -> Task<> {
          subscribe(events);
          co_await events.send("ready");
          while (const auto next = co_await events.receive()) {
            const std::string text = next->topic + "=" + next->content + (next->is_text ? "" : " (binary)");
            co_await events.send(text);
          }
          co_await events.send("closed");
        },
        options);
  };
}

TEST_P(Events, are_what_is_published_to_the_topics_of_the_stream) {
  app.get("/events", forwarding([](EventStream& events) {
            events.subscribe("news");
            events.subscribe("left");
            events.unsubscribe("left");
            events.subscribe_filter("room/+");
            events.subscribe_filter("hall/#");
            events.unsubscribe_filter("hall/#");
          }));
  TransportClient client = make_client();
  client.get("/events");
  ASSERT_TRUE(client.until_content("data: ready\n\n"));
  websockets::SocketBus& bus = running().server().sockets();
  EXPECT_EQ(bus.subscribers({"news"}), 1U);
  EXPECT_EQ(bus.subscribers({"left"}), 0U);
  for (const char* topic : {"left", "hall/1", "news", "room", "room/7"}) bus.publish({topic, "text"});
  bus.publish({"news", "bytes", false});
  bus.publish({"news", "two\nlines"});
  EXPECT_TRUE(client.until_content("lines\n\n"));
  EXPECT_EQ(client.response_so_far().content,
            "data: ready\n\ndata: news=text\n\ndata: room/7=text\n\ndata: news=bytes (binary)\n\n"
            "data: news=two\ndata: lines\n\n");
  client.cancel();
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(bus.subscribers({"news"}), 0U);
}

TEST_P(Events, of_topics_are_dropped_or_the_stream_is_closed_where_too_many_wait) {
  const auto late = [this](WhenFull when_full) {
    return [this, when_full] {
      return event_stream(
          [this](EventStream& events) -> Task<> {
            events.subscribe("news");
            co_await events.send("ready");
            co_await gate.pass();
            while (const auto next = co_await events.receive()) co_await events.send(next->content);
            co_await events.send("closed");
          },
          {.max_queued_bytes = 250, .when_full = when_full});
    };
  };
  app.get("/drops", late(WhenFull::Drop));
  app.get("/closes", late(WhenFull::Close));
  TransportClient drops = make_client();
  TransportClient closes = make_client();
  drops.get("/drops");
  closes.get("/closes");
  ASSERT_TRUE(drops.until_content("ready") && closes.until_content("ready"));
  websockets::SocketBus& bus = running().server().sockets();
  bus.publish({"news", std::string(1000, 'x')});  // one may go above the bound
  bus.publish({"news", "lost"});
  settle();
  gate.open();
  EXPECT_TRUE(drops.until_content("x\n\n"));
  bus.publish({"news", "after"});
  EXPECT_TRUE(drops.until_content("after"));
  EXPECT_FALSE(drops.response_so_far().content.contains("lost"));
  EXPECT_EQ(closes.answer().content, "data: ready\n\ndata: closed\n\n");
}

TEST_P(Events, of_topics_end_with_the_server) {
  app.get("/events", forwarding([](EventStream& events) { events.subscribe("news"); }));
  TransportClient client = make_client();
  client.get("/events");
  ASSERT_TRUE(client.until_content("ready"));
  running().drain();
  EXPECT_TRUE(client.answer().complete);
  client.close();
  running().wait();
}

Task<> happening(Event& event) {
  co_await event;
}

TEST_P(Events, of_topics_that_do_not_end_are_destroyed_with_the_server) {
  app.get("/events", [this] {
    return event_stream([this](EventStream& events) -> Task<> {
      const Mark mark(ended);
      events.subscribe("news");
      co_await events.send("ready");
      Event never;
      co_await uncancelled(happening(never));
    });
  });
  TransportClient client = make_client();
  client.get("/events");
  ASSERT_TRUE(client.until_content("ready"));
  end_server(Milliseconds(20));
  EXPECT_EQ(ended, 1);
}

TEST_P(Events, end_in_good_order_by_a_drain) {
  app.get("/events", [this] { return endless(); });
  TransportClient client = make_client();
  client.get("/events");
  ASSERT_TRUE(client.until_content("hello"));
  running().drain();
  EXPECT_TRUE(client.answer().complete);
  EXPECT_TRUE(client.ends());
  client.close();
  running().wait();
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace tern::testing
