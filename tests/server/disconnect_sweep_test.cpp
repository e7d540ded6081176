// Clients that go while their handler waits: at each point where a handler can wait, in each way that a client can go,
// at each moment, thousands of times. Every handler ends once, in the way that it must, and what its request lends it
// is there until then.
#include "server/sweep.hpp"

#include <array>
#include <future>

namespace tern::testing {
namespace {

constexpr std::size_t repeats = TERN_SANITIZED ? 6 : 8;
const std::vector<Way> all_ways = {Way::Reset, Way::Unread, Way::HalfClose, Way::Close};

Task<> nested(Visit& visit, int depth) {
  const std::string own = visit.token() + std::to_string(depth);
  struct Check {
    ~Check() { visit.expect(own == visit.token() + std::to_string(depth), "a nested frame"); }
    Visit& visit;
    const std::string& own;
    int depth;
  } const check{visit, own, depth};
  if (depth == 0) {
    co_await visit.released;
  } else {
    co_await nested(visit, depth - 1);
  }
}

Task<std::string> piece_of(BodyStream& body) {
  const auto piece = co_await body.next();
  co_return std::string(piece.value_or(""));
}

// Points that are visited by handlers, readers of content, producers of content, observers of events, middleware.
class Departures : public SweepTest {
protected:
  using Handler = Task<> (*)(Visit&);
  using Reader = Task<> (*)(Visit&, BodyStream&);
  using Producer = Task<> (*)(Visit&, Writer&);
  using Observer = Task<> (*)(Visit&, EventStream&);
  using Middleware = Task<Response> (*)(Visit&, Next);

  Route handler(Point point, Handler wait) {
    return app.post(add(std::move(point)), [this, wait](Request& request) -> Task<std::string> {
      co_await visited(ledger(), request, wait);
      co_return "done";
    });
  }
  void reader(Point point, Reader wait) {
    app.post(add(std::move(point)), [this, wait](Request& request, BodyStream body) -> Task<std::string> {
      const auto read = [&body, wait](Visit& visit) { return wait(visit, body); };
      co_await visited(ledger(), request, read, false);
      co_return "done";
    });
  }
  void producer(Point point, Producer wait) {
    point.streams = true;
    app.post(add(std::move(point)), [this, wait](Request& request) {
      return Response::stream(media::text, [this, &request, wait](Writer& writer) -> Task<> {
        const auto produce = [&writer, wait](Visit& visit) { return wait(visit, writer); };
        co_await visited(ledger(), request, produce);
        co_await writer.write("done");
      });
    });
  }
  Response events(Request& request, Milliseconds keep_alive, Observer wait) {
    const auto call = [this, &request, wait](EventStream& events) -> Task<> {
      const auto observe = [&events, wait](Visit& visit) { return wait(visit, events); };
      co_await visited(ledger(), request, observe);
    };
    return event_stream(call, keep_alive);
  }
  template <class F>
  void middleware(Point point, Middleware wait, F handler) {
    const Runtime pattern = add(std::move(point));
    auto group = app.group("/" + points.back()->name);
    group.use([this, wait](Request& request, Next next) -> Task<Response> {
      Response response;
      const auto call = [&](Visit& visit) -> Task<> { response = co_await wait(visit, next); };
      co_await visited(ledger(), request, call, false);
      co_return response;
    });
    group.post("/{number}/{token}", std::move(handler));
  }

  void add_all() {
    add_waits();
    add_combinations();
    add_jobs();
    add_readers();
    add_producers();
    add_middleware();
  }
  void add_waits();
  void add_combinations();
  void add_jobs();
  void add_readers();
  void add_producers();
  void add_middleware();

private:
  std::array<Event, loops> shared_;  // what all visitors of a loop wait for
};

void Departures::add_waits() {
  handler({.name = "sleep", .on_end = Then::Waits}, [](Visit& visit) -> Task<> {
    visit.waits();
    co_await sleep_for(Seconds(3600));
  });
  handler({.name = "event"}, [](Visit& visit) -> Task<> {
    visit.waits();
    co_await visit.released;
  });
  handler({.name = "receive"}, [](Visit& visit) -> Task<> {
    Channel<std::string> channel(1);
    visit.waits([&] { channel.try_send(visit.token()); });
    const auto received = co_await channel.receive();
    visit.expect(received == visit.token(), "what was received");
  });
  handler({.name = "send"}, [](Visit& visit) -> Task<> {
    Channel<std::string> channel(1);
    channel.try_send("before");
    visit.waits([&] { channel.try_receive(); });
    const bool sent = co_await channel.send(visit.token());
    visit.expect(sent && channel.try_receive() == visit.token(), "what was sent");
  });
  handler({.name = "yield"}, [](Visit& visit) -> Task<> {
    visit.waits();
    while (!visit.released.is_set()) co_await yield();
  });
  handler({.name = "nested"}, [](Visit& visit) -> Task<> {
    visit.waits();
    co_await nested(visit, 8);
  });
  handler({.name = "current_stop"}, [](Visit& visit) -> Task<> {
    const StopToken stop = co_await current_stop();
    visit.waits();
    const auto poll = [&visit, stop] {
      ++visit.ledger().jobs;
      while (!stop.stop_requested() && !visit.ledger().is_released(visit.number())) std::this_thread::yield();
    };
    co_await offload(poll);
    co_await yield();
  });
  app.post(add({.name = "shared"}), [this](Request& request) -> Task<std::string> {
    Event& event = shared_.at(request.exchange().loop_index());
    const auto wait = [&event](Visit& visit) -> Task<> {
      visit.waits([&event] {
        event.set();
        event.reset();
      });
      while (!visit.released.is_set()) co_await event;
    };
    co_await visited(ledger(), request, wait);
    co_return "done";
  });
}

void Departures::add_combinations() {
  handler({.name = "with_timeout"}, [](Visit& visit) -> Task<> {
    visit.waits();
    co_await with_timeout(Seconds(3600), visit.released.wait());
  });
  handler({.name = "when_all"}, [](Visit& visit) -> Task<> {
    visit.waits();
    co_await when_all(visit.released.wait(), nested(visit, 3), sleep_for(Milliseconds(1)));
  });
  handler({.name = "when_any"}, [](Visit& visit) -> Task<> {
    visit.waits();
    const auto first = co_await when_any(sleep_for(Seconds(3600)), visit.released.wait(), nested(visit, 3));
    visit.expect(first.index != 0, "what came first");
  });
  handler({.name = "scope"}, [](Visit& visit) -> Task<> {
    Scope scope(co_await current_stop());
    for (int depth = 0; depth < 3; ++depth) scope.spawn(nested(visit, depth));
    visit.waits();
    co_await scope.join();
    visit.expect(scope.running() == 0, "a scope that was joined");
  });
  handler({.name = "uncancelled", .on_reset = Then::Goes}, [](Visit& visit) -> Task<> {
    visit.waits();
    co_await uncancelled(nested(visit, 3));
    visit.check();
    co_await yield();
  });
  handler({.name = "limit", .on_end = Then::Ends}, [](Visit& visit) -> Task<> {
    visit.waits();
    co_await visit.released;
  }).limits({.answer = Milliseconds(1), .half_close = true});
}

void Departures::add_jobs() {
  handler({.name = "offload", .on_reset = Then::Goes}, [](Visit& visit) -> Task<> {
    const auto job = [&visit] { return visit.hold(); };
    const std::string result = co_await offload(job);
    visit.expect(result == visit.token(), "the result of a job");
    co_await yield();
  });
  app.post(
      add({.name = "blocking", .on_reset = Then::Completes}),
      blocking([this](std::size_t number, std::string_view token, Header<"x-token"> field, Body body, StopToken stop) {
        const auto check = [&] {
          const bool right =
              token == token_of(number) && *field == token_of(number) && std::string_view(body) == content_of(number);
          if (!right) ledger().wrong("what a blocking handler has");
        };
        ledger().begun(number, nullptr);
        check();
        ledger().hold(number);
        check();
        ledger().ended(number, Outcome::Completed, stop.stop_requested());
        return "done";
      }));
}

void Departures::add_readers() {
  const Reader read_all = [](Visit& visit, BodyStream& body) -> Task<> {
    visit.waits();
    while (co_await body.next()) {
    }
  };
  const Reader read_on = [](Visit& visit, BodyStream& body) -> Task<> {
    const auto first = co_await body.next();
    visit.expect(first && content_of(visit.number()).starts_with(*first), "the first piece");
    visit.waits();
    while (co_await body.next()) {
    }
  };
  reader({.name = "content", .on_end = Then::Cancelled, .content = Content::None}, read_all);
  reader({.name = "content_expected", .on_end = Then::Cancelled, .content = Content::Expected}, read_all);
  reader({.name = "content_counted", .on_end = Then::Cancelled, .content = Content::Half}, read_on);
  reader({.name = "content_chunked", .on_end = Then::Cancelled, .content = Content::HalfChunked}, read_on);
  reader({.name = "content_combined", .on_end = Then::Cancelled, .content = Content::None},
         [](Visit& visit, BodyStream& body) -> Task<> {
           visit.waits();
           co_await when_any(piece_of(body), sleep_for(Seconds(3600)));
         });
  reader({.name = "content_waits", .content = Content::Half}, [](Visit& visit, BodyStream& body) -> Task<> {
    const auto piece = co_await body.next();
    visit.waits();
    co_await visit.released;
    visit.expect(piece && content_of(visit.number()).starts_with(*piece), "a piece that was kept");
  });
}

// Says when it waits.
struct TellingWrite {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    const bool waits = wait.await_suspend(waiting);
    if (waits) visit.waits();
    return waits;
  }
  void await_resume() const { wait.await_resume(); }
  Writer::WriteWait wait;
  Visit& visit;
};

// More than the kernel and we hold for a client that does not read.
Task<> write_on(Visit& visit, Writer& writer) {
  const std::string piece(64 * 1024, 'x');
  while (!visit.released.is_set()) {
    TellingWrite write{writer.write(piece).operator co_await(), visit};
    co_await write;
  }
}

Generator<std::string> pieces(Ledger& ledger, Request& request) {
  Visit visit(ledger, request);
  for (int i = 0; !visit.released.is_set(); ++i) {
    if (i == 20) visit.waits();
    co_yield std::string(64 * 1024, 'x');
  }
  visit.ends(Outcome::Completed);
}

void Departures::add_producers() {
  producer({.name = "write", .receive_buffer = 64 * 1024},
           [](Visit& visit, Writer& writer) { return write_on(visit, writer); });
  producer({.name = "write_twice", .receive_buffer = 64 * 1024}, [](Visit& visit, Writer& writer) -> Task<> {
    co_await when_all(write_on(visit, writer), write_on(visit, writer));
  });
  producer({.name = "trailers"}, [](Visit& visit, Writer& writer) -> Task<> {
    co_await writer.write(visit.token());
    writer.trailers().set("x-token", visit.token());
    visit.waits();
    co_await visit.released;
  });
  app.post(add({.name = "generator", .streams = true, .receive_buffer = 64 * 1024}),
           [this](Request& request) { return Response::stream(media::text, pieces(ledger(), request)); });
  const Observer observe = [](Visit& visit, EventStream& events) -> Task<> {
    co_await events.send(visit.token());
    visit.waits();
    co_await sleep_for(Seconds(3600));
  };
  app.post(add({.name = "events", .on_end = Then::Cancelled, .streams = true}),
           [this, observe](Request& request) { return events(request, Milliseconds(3), observe); });
  app.post(add({.name = "events_late", .on_end = Then::Cancelled, .streams = true}),
           [this, observe](Request& request) -> Task<Response> {
             co_await yield();
             co_return events(request, Seconds(3600), observe);
           });
}

void Departures::add_middleware() {
  const auto done = [](Body) { return "done"; };
  const Middleware before = [](Visit& visit, Next next) -> Task<Response> {
    visit.waits();
    co_await visit.released;
    co_return co_await next();
  };
  const Middleware after = [](Visit& visit, Next next) -> Task<Response> {
    Response response = co_await next();
    visit.waits();
    co_await visit.released;
    co_return response;
  };
  const Middleware around = [](Visit& visit, Next next) -> Task<Response> {
    visit.waits();
    co_return co_await next();
  };
  middleware({.name = "before"}, before, done);
  middleware({.name = "after"}, after, done);
  // What waits is the library, for content that a handler wants whole.
  middleware({.name = "around", .on_end = Then::Ends, .on_reset = Then::Completes, .content = Content::Half}, around,
             done);
}

TEST_F(Departures, at_every_await_point_end_the_handler_once_and_leave_it_what_it_was_lent) {
  add_all();
  auto rounds = rounds_of(all_ways, repeats);
  start(rounds.size(), false);
  play(std::move(rounds));
  expect_that_nothing_is_left();
}

TEST_F(Departures, of_one_side_leave_handlers_alone_with_half_close) {
  add_all();
  auto rounds = rounds_of({Way::HalfClose, Way::Close}, repeats);
  start(rounds.size(), true);
  play(std::move(rounds));
  expect_that_nothing_is_left();
}

// The pool has something else to do.
TEST_F(Departures, take_jobs_out_of_the_queue_that_have_not_begun) {
  handler({.name = "offload", .on_end = Then::Waits}, [](Visit& visit) -> Task<> {
    const auto job = [&visit] { visit.expect(false, "a job that nobody waits for"); };
    visit.waits();
    co_await offload(job);
  });
  const Middleware wait = [](Visit& visit, Next next) -> Task<Response> {
    visit.waits();
    co_return co_await next();
  };
  middleware({.name = "blocking", .on_end = Then::Waits, .on_reset = Then::Completes}, wait,
             blocking([this](Body) { ledger().wrong("a blocking handler that nobody waits for"); }));
  std::promise<void> open;
  const std::shared_future<void> opened = open.get_future().share();
  for (unsigned i = 0; i < clients; ++i) ASSERT_TRUE(pool.post(Priority::High, [opened] { opened.wait(); }));
  auto rounds = rounds_of({Way::Reset, Way::Unread, Way::HalfClose}, 5 * repeats);
  start(rounds.size(), true);
  play(std::move(rounds));
  open.set_value();
  expect_that_nothing_is_left(clients);
}

}  // namespace
}  // namespace tern::testing
