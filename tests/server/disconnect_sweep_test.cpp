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

Task<> nested(RequestProbe& probe, int depth) {
  const std::string own = probe.token() + std::to_string(depth);
  struct Check {
    ~Check() { probe.expect(own == probe.token() + std::to_string(depth), "a nested frame"); }
    RequestProbe& probe;
    const std::string& own;
    int depth;
  } const check{probe, own, depth};
  if (depth == 0) {
    co_await probe.released;
  } else {
    co_await nested(probe, depth - 1);
  }
}

Task<std::string> piece_of(BodyStream& body) {
  const auto piece = co_await body.next();
  co_return std::string(piece.value_or(""));
}

// Points that are visited by handlers, readers of content, producers of content, observers of events, middleware.
class DisconnectSweep : public SweepTest {
protected:
  using Handler = Task<> (*)(RequestProbe&);
  using Reader = Task<> (*)(RequestProbe&, BodyStream&);
  using Producer = Task<> (*)(RequestProbe&, Writer&);
  using Observer = Task<> (*)(RequestProbe&, EventStream&);
  using Middleware = Task<Response> (*)(RequestProbe&, Next);

  Route handler(Point point, Handler wait) {
    return app.post(add(std::move(point)), [this, wait](Request& request) -> Task<std::string> {
      co_await probed(recorder(), request, wait);
      co_return "done";
    });
  }
  void reader(Point point, Reader wait) {
    app.post(add(std::move(point)), [this, wait](Request& request, BodyStream body) -> Task<std::string> {
      const auto read = [&body, wait](RequestProbe& probe) { return wait(probe, body); };
      co_await probed(recorder(), request, read, false);
      co_return "done";
    });
  }
  void producer(Point point, Producer wait) {
    point.streams = true;
    app.post(add(std::move(point)), [this, wait](Request& request) {
      return Response::stream(media::text, [this, &request, wait](Writer& writer) -> Task<> {
        const auto produce = [&writer, wait](RequestProbe& probe) { return wait(probe, writer); };
        co_await probed(recorder(), request, produce);
        co_await writer.write("done");
      });
    });
  }
  Response events(Request& request, Milliseconds keep_alive, Observer wait) {
    const auto call = [this, &request, wait](EventStream& events) -> Task<> {
      const auto observe = [&events, wait](RequestProbe& probe) { return wait(probe, events); };
      co_await probed(recorder(), request, observe);
    };
    return event_stream(call, {.keep_alive = keep_alive});
  }
  template <class F>
  void middleware(Point point, Middleware wait, F handler) {
    const Runtime pattern = add(std::move(point));
    auto group = app.group("/" + points.back()->name);
    group.use([this, wait](Request& request, Next next) -> Task<Response> {
      Response response;
      const auto call = [&](RequestProbe& probe) -> Task<> { response = co_await wait(probe, next); };
      co_await probed(recorder(), request, call, false);
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

void DisconnectSweep::add_waits() {
  handler({.name = "sleep", .on_end = Then::Waits}, [](RequestProbe& probe) -> Task<> {
    probe.waits();
    co_await sleep_for(Seconds(3600));
  });
  handler({.name = "event"}, [](RequestProbe& probe) -> Task<> {
    probe.waits();
    co_await probe.released;
  });
  handler({.name = "receive"}, [](RequestProbe& probe) -> Task<> {
    Channel<std::string> channel(1);
    probe.waits([&] { channel.try_send(probe.token()); });
    const auto received = co_await channel.receive();
    probe.expect(received == probe.token(), "what was received");
  });
  handler({.name = "send"}, [](RequestProbe& probe) -> Task<> {
    Channel<std::string> channel(1);
    channel.try_send("before");
    probe.waits([&] { channel.try_receive(); });
    const bool sent = co_await channel.send(probe.token());
    probe.expect(sent && channel.try_receive() == probe.token(), "what was sent");
  });
  handler({.name = "yield"}, [](RequestProbe& probe) -> Task<> {
    probe.waits();
    while (!probe.released.is_set()) co_await yield();
  });
  handler({.name = "nested"}, [](RequestProbe& probe) -> Task<> {
    probe.waits();
    co_await nested(probe, 8);
  });
  handler({.name = "current_stop"}, [](RequestProbe& probe) -> Task<> {
    const StopToken stop = co_await current_stop();
    probe.waits();
    const auto poll = [&probe, stop] {
      ++probe.recorder().jobs;
      while (!stop.stop_requested() && !probe.recorder().is_released(probe.number())) std::this_thread::yield();
    };
    co_await offload(poll);
    co_await yield();
  });
  app.post(add({.name = "shared"}), [this](Request& request) -> Task<std::string> {
    Event& event = shared_.at(request.exchange().loop_index());
    const auto wait = [&event](RequestProbe& probe) -> Task<> {
      probe.waits([&event] {
        event.set();
        event.reset();
      });
      while (!probe.released.is_set()) co_await event;
    };
    co_await probed(recorder(), request, wait);
    co_return "done";
  });
}

void DisconnectSweep::add_combinations() {
  handler({.name = "with_timeout"}, [](RequestProbe& probe) -> Task<> {
    probe.waits();
    co_await with_timeout(Seconds(3600), probe.released.wait());
  });
  handler({.name = "when_all"}, [](RequestProbe& probe) -> Task<> {
    probe.waits();
    co_await when_all(probe.released.wait(), nested(probe, 3), sleep_for(Milliseconds(1)));
  });
  handler({.name = "when_any"}, [](RequestProbe& probe) -> Task<> {
    probe.waits();
    const auto first = co_await when_any(sleep_for(Seconds(3600)), probe.released.wait(), nested(probe, 3));
    probe.expect(first.index != 0, "which came first");
  });
  handler({.name = "scope"}, [](RequestProbe& probe) -> Task<> {
    Scope scope(co_await current_stop());
    for (int depth = 0; depth < 3; ++depth) scope.spawn(nested(probe, depth));
    probe.waits();
    co_await scope.join();
    probe.expect(scope.running() == 0, "a scope that was joined");
  });
  handler({.name = "uncancelled", .on_reset = Then::Goes}, [](RequestProbe& probe) -> Task<> {
    probe.waits();
    co_await uncancelled(nested(probe, 3));
    probe.check();
    co_await yield();
  });
  handler({.name = "limit", .on_end = Then::Ends}, [](RequestProbe& probe) -> Task<> {
    probe.waits();
    co_await probe.released;
  }).limits({.handler_timeout = Milliseconds(1), .half_close = true});
}

void DisconnectSweep::add_jobs() {
  handler({.name = "offload", .on_reset = Then::Goes}, [](RequestProbe& probe) -> Task<> {
    const auto job = [&probe] { return probe.hold(); };
    const std::string result = co_await offload(job);
    probe.expect(result == probe.token(), "the result of a job");
    co_await yield();
  });
  app.post(
      add({.name = "blocking", .on_reset = Then::Completes}),
      blocking([this](std::size_t number, std::string_view token, Header<"x-token"> field, Body body, StopToken stop) {
        const auto check = [&] {
          const bool right =
              token == token_of(number) && *field == token_of(number) && std::string_view(body) == content_of(number);
          if (!right) recorder().add_failure("what a blocking handler has");
        };
        recorder().begun(number, nullptr);
        check();
        recorder().hold(number);
        check();
        recorder().ended(number, Outcome::Completed, stop.stop_requested());
        return "done";
      }));
}

void DisconnectSweep::add_readers() {
  const Reader read_all = [](RequestProbe& probe, BodyStream& body) -> Task<> {
    probe.waits();
    while (co_await body.next()) {
    }
  };
  const Reader read_on = [](RequestProbe& probe, BodyStream& body) -> Task<> {
    const auto first = co_await body.next();
    probe.expect(first && content_of(probe.number()).starts_with(*first), "the first piece");
    probe.waits();
    while (co_await body.next()) {
    }
  };
  reader({.name = "content", .on_end = Then::Cancelled, .content = Content::None}, read_all);
  reader({.name = "content_expected", .on_end = Then::Cancelled, .content = Content::Expected}, read_all);
  reader({.name = "content_counted", .on_end = Then::Cancelled, .content = Content::Half}, read_on);
  reader({.name = "content_chunked", .on_end = Then::Cancelled, .content = Content::HalfChunked}, read_on);
  reader({.name = "content_combined", .on_end = Then::Cancelled, .content = Content::None},
         [](RequestProbe& probe, BodyStream& body) -> Task<> {
           probe.waits();
           co_await when_any(piece_of(body), sleep_for(Seconds(3600)));
         });
  reader({.name = "content_waits", .content = Content::Half}, [](RequestProbe& probe, BodyStream& body) -> Task<> {
    const auto piece = co_await body.next();
    probe.waits();
    co_await probe.released;
    probe.expect(piece && content_of(probe.number()).starts_with(*piece), "a piece that was kept");
  });
}

// Says when it waits.
struct ObservedWrite {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    const bool waits = wait.await_suspend(waiting);
    if (waits) probe.waits();
    return waits;
  }
  void await_resume() const { wait.await_resume(); }
  Writer::WriteWait wait;
  RequestProbe& probe;
};

// More than the kernel and we hold for a client that does not read.
Task<> write_on(RequestProbe& probe, Writer& writer) {
  const std::string piece(64 * 1024, 'x');
  while (!probe.released.is_set()) {
    ObservedWrite write{writer.write(piece).operator co_await(), probe};
    co_await write;
  }
}

Generator<std::string> pieces(RequestRecorder& recorder, Request& request) {
  RequestProbe probe(recorder, request);
  for (int i = 0; !probe.released.is_set(); ++i) {
    if (i == 20) probe.waits();
    co_yield std::string(64 * 1024, 'x');
  }
  probe.ends(Outcome::Completed);
}

void DisconnectSweep::add_producers() {
  producer({.name = "write", .receive_buffer = 64 * 1024},
           [](RequestProbe& probe, Writer& writer) { return write_on(probe, writer); });
  producer({.name = "write_twice", .receive_buffer = 64 * 1024}, [](RequestProbe& probe, Writer& writer) -> Task<> {
    co_await when_all(write_on(probe, writer), write_on(probe, writer));
  });
  producer({.name = "trailers"}, [](RequestProbe& probe, Writer& writer) -> Task<> {
    co_await writer.write(probe.token());
    writer.trailers().set("x-token", probe.token());
    probe.waits();
    co_await probe.released;
  });
  app.post(add({.name = "generator", .streams = true, .receive_buffer = 64 * 1024}),
           [this](Request& request) { return Response::stream(media::text, pieces(recorder(), request)); });
  const Observer observe = [](RequestProbe& probe, EventStream& events) -> Task<> {
    co_await events.send(probe.token());
    probe.waits();
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

void DisconnectSweep::add_middleware() {
  const auto done = [](Body) { return "done"; };
  const Middleware before = [](RequestProbe& probe, Next next) -> Task<Response> {
    probe.waits();
    co_await probe.released;
    co_return co_await next();
  };
  const Middleware after = [](RequestProbe& probe, Next next) -> Task<Response> {
    Response response = co_await next();
    probe.waits();
    co_await probe.released;
    co_return response;
  };
  const Middleware around = [](RequestProbe& probe, Next next) -> Task<Response> {
    probe.waits();
    co_return co_await next();
  };
  middleware({.name = "before"}, before, done);
  middleware({.name = "after"}, after, done);
  // What waits is the library, for content that a handler wants whole.
  middleware({.name = "around", .on_end = Then::Ends, .on_reset = Then::Completes, .content = Content::Half}, around,
             done);
}

TEST_F(DisconnectSweep, at_every_await_point_end_the_handler_once_and_leave_it_what_it_was_lent) {
  add_all();
  auto rounds = rounds_of(all_ways, repeats);
  start(rounds.size(), false);
  play(std::move(rounds));
  expect_that_nothing_is_left();
}

TEST_F(DisconnectSweep, of_one_side_leave_handlers_alone_with_half_close) {
  add_all();
  auto rounds = rounds_of({Way::HalfClose, Way::Close}, repeats);
  start(rounds.size(), true);
  play(std::move(rounds));
  expect_that_nothing_is_left();
}

// The pool has something else to do.
TEST_F(DisconnectSweep, take_jobs_out_of_the_queue_that_have_not_begun) {
  handler({.name = "offload", .on_end = Then::Waits}, [](RequestProbe& probe) -> Task<> {
    const auto job = [&probe] { probe.expect(false, "an abandoned job"); };
    probe.waits();
    co_await offload(job);
  });
  const Middleware wait = [](RequestProbe& probe, Next next) -> Task<Response> {
    probe.waits();
    co_return co_await next();
  };
  middleware({.name = "blocking", .on_end = Then::Waits, .on_reset = Then::Completes}, wait,
             blocking([this](Body) { recorder().add_failure("an abandoned blocking handler"); }));
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
