// Responses that are made while they are sent: chunks, events, backpressure, producers that fail and clients that go.
#include "server/app_test.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

namespace tern::testing {
namespace {

using Streams = AppTest;

// Tells when the frame that holds it has gone.
struct Mark {
  explicit Mark(std::atomic<int>& at) : count(at) {}
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  ~Mark() { ++count; }
  std::atomic<int>& count;
};

TEST_F(Streams, pieces_arrive_before_the_producer_has_ended) {
  app.get("/", [this] {
    return Response::stream("text/plain", [this](Writer& writer) -> Task<> {
      co_await writer.write("one ");
      co_await gate.pass();
      co_await writer.write("two");
    });
  });
  Client client = this->client();
  client.get("/");
  std::string received;
  while (!received.ends_with("one \r\n")) received += client.receive_some();
  EXPECT_NE(received.find("Transfer-Encoding: chunked"), received.npos);
  ASSERT_TRUE(gate.await());
  gate.open();
  EXPECT_EQ(client.take(13), "3\r\ntwo\r\n0\r\n\r\n");
  EXPECT_TRUE(all_ended());
}

TEST_F(Streams, pieces_of_one_round_leave_together) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      for (int i = 0; i < 100; ++i) co_await writer.write("x");
    });
  });
  Client client = this->client();
  EXPECT_EQ(client.ask("/").body, std::string(100, 'x'));
  EXPECT_LE(running().counters().sends.value(), 3U);
}

TEST_F(Streams, a_pipeline_goes_on_behind_a_stream) {
  app.get("/stream", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      co_await writer.write("a");
      co_await sleep_for(Milliseconds(1));
      co_await writer.write("b");
    });
  });
  app.get("/plain", [] { return "plain"; });
  Client client = this->client();
  for (int i = 0; i < 3; ++i) {
    client.get("/stream");
    client.get("/plain");
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.answer().body, "ab");
    EXPECT_EQ(client.answer().body, "plain");
  }
}

TEST_F(Streams, head_sends_no_content_and_runs_no_producer) {
  std::atomic<int> runs = 0;
  app.get("/", [&runs] {
    return Response::stream("text/plain", [&runs](Writer& writer) -> Task<> {
      ++runs;
      co_await writer.write("x");
    });
  });
  Client client = this->client();
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer(true).status, 200);
  EXPECT_EQ(client.ask("/").body, "x");
  EXPECT_EQ(runs, 1);
}

TEST_F(Streams, http_1_0_gets_the_content_until_the_close) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> { co_await writer.write("old"); });
  });
  Client client = this->client();
  client.send("GET / HTTP/1.0\r\n\r\n");
  const std::string all = client.rest();
  EXPECT_TRUE(all.ends_with("\r\n\r\nold")) << all;
  EXPECT_EQ(all.find("Transfer-Encoding"), all.npos);
}

TEST_F(Streams, trailers_follow_the_last_chunk) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      co_await writer.write("x");
      writer.trailers().set("x-sum", "1");
    });
  });
  Client client = this->client();
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.rest().ends_with("\r\n1\r\nx\r\n0\r\nx-sum: 1\r\n\r\n"));
}

Generator<std::string> lines(int count) {
  for (int i = 0; i < count; ++i) co_yield std::to_string(i) + "\n";
}

TEST_F(Streams, a_generator_is_a_producer) {
  app.get("/", [] { return Response::stream("text/plain", lines(3)); });
  EXPECT_EQ(client().ask("/").body, "0\n1\n2\n");
}

TEST_F(Streams, a_producer_that_fails_breaks_the_content_off) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      co_await writer.write("begun");
      throw std::runtime_error("the disk is gone");
    });
  });
  Client client = this->client();
  client.get("/");
  const std::string all = client.rest();
  EXPECT_TRUE(all.ends_with("5\r\nbegun\r\n")) << all;
  EXPECT_TRUE(all_ended());
}

TEST_F(Streams, a_slow_reader_stops_the_producer) {
  constexpr std::size_t piece = 64 * 1024;
  constexpr int pieces = 1000;
  std::atomic<int> written = 0;
  app.get("/", [&written] {
    return Response::stream("application/octet-stream", [&written](Writer& writer) -> Task<> {
      const std::string bytes(piece, 'x');
      for (int i = 0; i < pieces; ++i, ++written) co_await writer.write(bytes);
    });
  });
  app.get("/other", [] { return "other"; });
  Client client = this->client(64 * 1024);
  client.get("/");
  for (int i = 0; i < 50; ++i) ASSERT_EQ(this->client().ask("/other").status, 200);
  EXPECT_LT(written, 200);  // what the kernel's buffers take, and a quarter of a megabyte
  EXPECT_EQ(client.answer().body.size(), piece * pieces);
  EXPECT_EQ(written, pieces);
}

Task<> write_large(Writer& writer, char what) {
  const std::string bytes(8'000'000, what);
  co_await writer.write(bytes);
}

TEST_F(Streams, several_may_write_at_the_same_time) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      co_await when_all(write_large(writer, 'a'), write_large(writer, 'b'), write_large(writer, 'c'));
    });
  });
  const std::string body = client(64 * 1024).ask("/").body;
  for (const char what : {'a', 'b', 'c'}) EXPECT_EQ(std::ranges::count(body, what), 8'000'000);
}

TEST_F(Streams, a_write_that_waits_can_be_given_up) {
  std::atomic<int> timed_out = 0;
  app.get("/", [&timed_out] {
    return Response::stream("text/plain", [&timed_out](Writer& writer) -> Task<> {
      try {
        co_await with_timeout(Milliseconds(10), write_large(writer, 'x'));
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
  Client client = this->client(64 * 1024);
  client.get("/");
  ASSERT_TRUE(running().eventually([&] { return timed_out == 2; }));
  EXPECT_TRUE(client.answer().body.ends_with("xxy"));
}

TEST_F(Streams, a_client_that_goes_ends_the_producer_wherever_it_waits) {
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
  for (int where = 0; where < 3; ++where) {
    Client client = this->client(64 * 1024);
    client.get("/" + std::to_string(where));
    while (client.receive_some().find("begun") == std::string::npos) {
    }
    if (where == 1) {
      ASSERT_TRUE(gate.await());
    }
    client.peer().reset();
    if (where == 1) {
      ASSERT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
      gate.open();
    }
    ASSERT_TRUE(all_ended()) << where;
    EXPECT_EQ(ended, where + 1);
  }
}

TEST_F(Streams, views_of_the_request_stay_valid) {
  app.get("/{name}", [this](std::string_view name, Request& request) {
    return Response::stream("text/plain", [this, name, &request](Writer& writer) -> Task<> {
      co_await gate.pass();
      co_await writer.write(name);
      co_await writer.write(request.field("x-test").value_or("missing"));
    });
  });
  Client first = client();
  first.get("/arctic-tern", "X-Test: seen\r\n");
  ASSERT_TRUE(gate.await());
  Client second = client();
  second.get("/another-one", "X-Test: overwritten\r\n");
  ASSERT_TRUE(gate.await(2));
  gate.open();
  EXPECT_EQ(first.answer().body, "arctic-ternseen");
  EXPECT_EQ(second.answer().body, "another-oneoverwritten");
}

// --- Events ---

TEST_F(Streams, events_are_written_as_browsers_read_them) {
  app.get("/events", [] {
    return event_stream([](EventStream& events) -> Task<> {
      co_await events.send({.data = "first\nsecond", .event = "note", .id = "7", .retry = Milliseconds(250)});
      co_await events.send("plain");
    });
  });
  const Answer answer = client().ask("/events");
  EXPECT_EQ(answer.field("content-type"), "text/event-stream");
  EXPECT_EQ(answer.field("cache-control"), "no-store");
  EXPECT_EQ(answer.body, "event: note\nid: 7\nretry: 250\ndata: first\ndata: second\n\ndata: plain\n\n");
}

TEST_F(Streams, a_silent_event_stream_is_kept_alive_by_comments) {
  app.get("/events",
          [this] { return event_stream([this](EventStream&) -> Task<> { co_await gate.pass(); }, Milliseconds(5)); });
  Client client = this->client();
  client.get("/events");
  std::string received;
  while (received.find(":\n\n\r\n3\r\n:\n\n") == received.npos) {
    const std::string some = client.receive_some();
    ASSERT_FALSE(some.empty());
    received += some;
  }
  gate.open();
}

TEST_F(Streams, an_event_stream_ends_at_once_when_its_client_has_ended) {
  std::atomic<int> ended = 0;
  app.get("/events", [&ended] {
    return event_stream([&ended](EventStream& events) -> Task<> {
      const Mark mark(ended);
      co_await events.send("hello");
      co_await sleep_for(Seconds(3600));
    });
  });
  Client client = this->client();
  client.get("/events");
  while (client.receive_some().find("hello") == std::string::npos) {
  }
  client.peer().shutdown_write();
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(ended, 1);
}

TEST_F(Streams, an_event_stream_that_begins_late_ends_at_once_too) {
  std::atomic<int> ended = 0;
  const auto events = [&ended] {
    const auto producer = [&ended](EventStream& stream) -> Task<> {
      const Mark mark(ended);
      co_await stream.send("hello");
      co_await sleep_for(Seconds(3600));
    };
    return event_stream(producer, Seconds(3600));
  };
  app.get("/waited", [&events]() -> Task<Response> {
    co_await yield();
    co_return events();
  });
  app.post("/content", [&events](BodyStream body) -> Task<Response> {
    while (co_await body.next()) {
    }
    co_return events();
  });
  const auto expect_the_end = [&](Client& client) {
    while (client.receive_some().find("hello") == std::string::npos) {
    }
    client.peer().shutdown_write();
    EXPECT_TRUE(all_ended());
  };
  Client waited = client();
  waited.get("/waited");
  expect_the_end(waited);
  Client content = client();
  content.send("POST /content HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
  ASSERT_TRUE(running().eventually([this] { return running().worker().exchanges_in_use() == 1; }));
  content.send("b");
  expect_the_end(content);
  EXPECT_EQ(ended, 2);
}

TEST_F(Streams, a_drain_ends_event_streams_in_good_order) {
  app.get("/events", [] {
    return event_stream([](EventStream& events) -> Task<> {
      co_await events.send("hello");
      co_await sleep_for(Seconds(3600));
    });
  });
  Client client = this->client();
  client.get("/events");
  std::string received;
  while (received.find("hello") == received.npos) received += client.receive_some();
  running().drain();
  received += client.rest();
  EXPECT_TRUE(received.ends_with("0\r\n\r\n")) << received;
  running().wait();
}

}  // namespace
}  // namespace tern::testing
