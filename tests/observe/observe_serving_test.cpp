// The admin address of a running server: what it measures, and what it says while the server stops.
#include "tern/running_app.hpp"

#include <tern/async.hpp>
#include <tern/http/observer.hpp>
#include <tern/observe.hpp>

#include <gmock/gmock.h>

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tern {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ServingAdmin : public RunningAppTest {
protected:
  ~ServingAdmin() override {
    go = true;
    app.stop();
  }
  std::string ask(const std::string& path) {
    return send(app.port("admin"), "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  }
  // Sends this to the app, or to the admin address, and returns the response.
  std::string send(std::uint16_t port, const std::string& request) {
    net::Peer peer = connect(port);
    return peer.send(request) ? peer.receive_all() : std::string();
  }
  // /metrics, once it has this line.
  std::string metrics_with(const std::string& line) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::string all = ask("/metrics");
    while (!all.contains("\n" + line + "\n") && std::chrono::steady_clock::now() < deadline) all = ask("/metrics");
    return all;
  }
  // Waits for `go`.
  Task<std::string> wait() {
    ++waiters;
    while (!go) co_await sleep_for(Milliseconds(5));
    co_return "done";
  }
  void await_waiters(int count) const {
    while (waiters < count) std::this_thread::yield();
  }
  static std::string duration(const std::string& labels, int count) {
    return "http_server_request_duration_seconds_count{" + labels + "} " + std::to_string(count);
  }

  std::atomic<bool> go = false;
  std::atomic<int> waiters = 0;
  AdminAddress admin = app.admin({.port = 0});
};

TEST_F(ServingAdmin, counts_requests_by_method_route_and_class_of_status) {
  app.get("/books/{id}", [](int id) -> std::optional<int> { return id == 7 ? std::optional(7) : std::nullopt; });
  app.on("PURGE", "/books/{id}", [](int) { return Status::NoContent; });
  app.start(quiet());
  const std::uint16_t port = app.port();
  for (int i = 0; i < 3; ++i) EXPECT_THAT(get(port, "/books/7"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get(port, "/books/8"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(get(port, "/missing"), StartsWith("HTTP/1.1 404"));
  send(port, "HEAD /books/7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  send(port, "PURGE /books/7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(send(port, "DELETE /books/7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(send(port, "GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  const std::string get_book = R"(http_request_method="GET",http_route="/books/{id}",http_response_status_class=)";
  const std::string ok = R"("2xx",http_response_status_code="200",network_protocol_version="1.1")";
  const std::string all = metrics_with(duration(get_book + ok, 3));
  EXPECT_THAT(all, HasSubstr(duration(get_book + ok, 3)));
  EXPECT_THAT(all, HasSubstr(duration(
                       get_book + R"("4xx",http_response_status_code="404",network_protocol_version="1.1")", 1)));
  for (
      const std::string labels : {
          R"(http_request_method="HEAD",http_route="/books/{id}",http_response_status_class="2xx",http_response_status_code="200",network_protocol_version="1.1")",
          R"(http_request_method="PURGE",http_route="/books/{id}",http_response_status_class="2xx",http_response_status_code="204",network_protocol_version="1.1")",
          R"(http_request_method="GET",http_route="",http_response_status_class="4xx",http_response_status_code="404",network_protocol_version="1.1")",
          R"(http_request_method="DELETE",http_route="",http_response_status_class="4xx",http_response_status_code="405",network_protocol_version="1.1")",
          R"(http_request_method="_OTHER",http_route="",http_response_status_class="4xx",http_response_status_code="400",network_protocol_version="")",
      }) {
    EXPECT_THAT(all, HasSubstr(duration(labels, 1)));
  }
  EXPECT_THAT(all, HasSubstr("http_server_response_body_bytes_total{" + get_book + ok + "} 3\n"));
  EXPECT_THAT(all, Not(HasSubstr("/books/7")));                 // never a raw path
  EXPECT_THAT(all, Not(HasSubstr("http_route=\"/metrics\"")));  // nor those of the admin address
}

TEST_F(ServingAdmin, tells_statuses_and_versions_apart_up_to_a_bound) {
  app.get("/status/{code}", [](int code) { return Status(code); });
  Options options = quiet();
  options.threads = 1;  // the bound is that of a loop
  app.start(options);
  send(app.port(), "GET /status/201 HTTP/1.0\r\nHost: a\r\n\r\n");
  for (int code = 400; code < 430; ++code) get(app.port(), "/status/" + std::to_string(code));
  const std::string route = R"(http_request_method="GET",http_route="/status/{code}",http_response_status_class=)";
  const std::string rest =
      duration(route + R"("4xx",http_response_status_code="_OTHER",network_protocol_version="")", 14);
  const std::string all = metrics_with(rest);
  EXPECT_THAT(all, HasSubstr(rest));
  EXPECT_THAT(
      all, HasSubstr(duration(route + R"("2xx",http_response_status_code="201",network_protocol_version="1.0")", 1)));
  EXPECT_THAT(
      all, HasSubstr(duration(route + R"("4xx",http_response_status_code="415",network_protocol_version="1.1")", 1)));
  EXPECT_THAT(all, Not(HasSubstr("status_code=\"416\"")));
}

class CountedBus final : public Bus {
public:
  Task<> start(BusHost&) override { co_return; }
  PublishStatus publish(const Publication&) override { return PublishStatus::Sent; }
  Task<> stop() override { co_return; }
  void end() noexcept override {}
  std::optional<BusStatistics> statistics() const override {
    return BusStatistics{
        .connected = true, .queued_bytes = 1, .published = 2, .dropped = 3, .lost = 4, .received = 5, .reconnects = 6};
  }
};

TEST_F(ServingAdmin, shows_the_figures_of_the_bus) {
  app.bus(CountedBus());
  app.start(quiet());
  const std::string all = ask("/metrics");
  for (const char* line :
       {"tern_bus_connected 1", "tern_bus_queued_bytes 1", "tern_bus_publications_total{outcome=\"accepted\"} 2",
        "tern_bus_publications_total{outcome=\"dropped\"} 3", "tern_bus_publications_lost_total 4",
        "tern_bus_publications_received_total 5", "tern_bus_reconnects_total 6"}) {
    EXPECT_THAT(all, HasSubstr(std::string("\n") + line + '\n'));
  }
}

// Two series with the same labels would make Prometheus refuse everything.
struct FakePool {
  double used = 0;
  void report(http::FigureSink& sink, std::string_view pool) const {
    const http::FigureLabel name{"pool", pool};
    sink.gauge("fake_used", "In use.", used, {name, {"state", "used"}});
    const double bounds[] = {0.5, 1};
    const std::uint64_t counts[] = {1, 0, 2};
    sink.histogram("fake_wait_seconds", "Waits.", bounds, counts, 7.5, {name});
    sink.counter("fake_calls", "Calls.", used * 2, {name});
  }
};

TEST_F(ServingAdmin, shows_pools_by_their_names_and_keeps_families_together) {
  admin.pool("a", FakePool{1}).pool("b", FakePool{2});
  app.start(quiet());
  EXPECT_THAT(ask("/metrics"), HasSubstr("# HELP fake_used In use.\n"
                                         "# TYPE fake_used gauge\n"
                                         "fake_used{pool=\"a\",state=\"used\"} 1\n"
                                         "fake_used{pool=\"b\",state=\"used\"} 2\n"
                                         "# HELP fake_wait_seconds Waits.\n"
                                         "# TYPE fake_wait_seconds histogram\n"
                                         "fake_wait_seconds_bucket{pool=\"a\",le=\"0.5\"} 1\n"
                                         "fake_wait_seconds_bucket{pool=\"a\",le=\"1\"} 1\n"
                                         "fake_wait_seconds_bucket{pool=\"a\",le=\"+Inf\"} 3\n"
                                         "fake_wait_seconds_sum{pool=\"a\"} 7.5\n"
                                         "fake_wait_seconds_count{pool=\"a\"} 3\n"
                                         "fake_wait_seconds_bucket{pool=\"b\",le=\"0.5\"} 1\n"));
  EXPECT_THAT(ask("/metrics"), HasSubstr("fake_calls_total{pool=\"b\"} 4\n"));
}

struct BrokenPool {
  void report(http::FigureSink& sink, std::string_view name) const {
    sink.gauge("db_client_connection_pending_requests", "", 2, {{"db_client_connection_pool_name", name}});
    throw std::runtime_error("no pool");
  }
};

TEST_F(ServingAdmin, leaves_out_figures_of_a_source_that_throws) {
  const BrokenPool pool;
  admin.pool("broken", pool);
  app.metrics().counter("shop_orders", "Orders.").add(3);
  app.dashboard("/-/", {});
  app.start(logged());
  const std::string all = ask("/metrics");
  EXPECT_THAT(all, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(all, HasSubstr("\nshop_orders_total 3\n"));
  net::Peer viewer = connect(app.port());
  viewer.send("GET /-/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::string events;
  while (!events.contains("event: now")) {
    const std::string some = viewer.receive_some();
    ASSERT_NE(some, "") << events;
    events += some;
  }
  app.stop();
  EXPECT_THAT(content_of(folder.path / "error"), HasSubstr("no pool"));
}

TEST_F(ServingAdmin, counts_routes_of_one_pattern_together) {
  app.host("a.example").get("/both", [] { return "a"; });
  app.get("/both", [] { return "b"; });
  app.head("/both", [] { return "head"; });
  app.start(quiet());
  for (const char* const host : {"a.example", "b.example"}) {
    send(app.port(), std::string("GET /both HTTP/1.1\r\nConnection: close\r\nHost: ") + host + "\r\n\r\n");
    send(app.port(), std::string("HEAD /both HTTP/1.1\r\nConnection: close\r\nHost: ") + host + "\r\n\r\n");
  }
  const std::string of_route =
      R"(",http_route="/both",http_response_status_class="2xx",http_response_status_code="200",network_protocol_version="1.1")";
  const std::string get_labels = "http_request_method=\"GET" + of_route;
  const std::string head_labels = "http_request_method=\"HEAD" + of_route;
  const std::string all = metrics_with(duration(head_labels, 2));
  EXPECT_THAT(all, HasSubstr(duration(get_labels, 2)));
  EXPECT_THAT(all, HasSubstr(duration(head_labels, 2)));
  EXPECT_EQ(all.find("_count{" + get_labels), all.rfind("_count{" + get_labels));
  EXPECT_EQ(all.find("_count{" + head_labels), all.rfind("_count{" + head_labels));
}

TEST_F(ServingAdmin, measures_how_long_requests_take) {
  app.get("/slow", []() -> Task<std::string> {
    co_await sleep_for(Milliseconds(60));
    co_return "done";
  });
  app.start(quiet());
  get(app.port(), "/slow");
  const std::string labels =
      R"(http_request_method="GET",http_route="/slow",http_response_status_class="2xx",http_response_status_code="200",network_protocol_version="1.1")";
  const std::string all = metrics_with(duration(labels, 1));
  EXPECT_THAT(all, HasSubstr("http_server_request_duration_seconds_bucket{" + labels + ",le=\"0.05\"} 0\n"));
  EXPECT_THAT(all, HasSubstr("http_server_request_duration_seconds_bucket{" + labels + ",le=\"+Inf\"} 1\n"));
}

TEST_F(ServingAdmin, counts_bytes_of_contents) {
  app.post("/echo", [](Request& request) { return std::string(request.body()) + "!"; });
  app.start(quiet());
  send(app.port(), "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello");
  const std::string labels =
      R"({http_request_method="POST",http_route="/echo",http_response_status_class="2xx",http_response_status_code="200",network_protocol_version="1.1"} )";
  const std::string all = metrics_with("http_server_request_body_bytes_total" + labels + "5");
  EXPECT_THAT(all, HasSubstr("http_server_request_body_bytes_total" + labels + "5\n"));
  EXPECT_THAT(all, HasSubstr("http_server_response_body_bytes_total" + labels + "6\n"));
}

TEST_F(ServingAdmin, sums_what_all_loops_and_other_threads_count) {
  const Counter count = app.metrics().counter("counted", "Counted.");
  app.get("/count", [count] {
    count.add();
    return "";
  });
  app.get("/offloaded", blocking([count] {
            count.add(100);
            return "";
          }));
  Options options = quiet();
  options.threads = 3;
  app.start(options);
  for (int i = 0; i < 20; ++i) get(app.port(), "/count");
  get(app.port(), "/offloaded");
  count.add(1000);
  EXPECT_THAT(ask("/metrics"), HasSubstr("\ncounted_total 1120\n"));
}

TEST_F(ServingAdmin, is_not_ready_as_soon_as_the_shutdown_begins) {
  Options options = quiet();
  options.timeouts.drain_delay = Seconds(20);
  app.start(options);
  EXPECT_THAT(ask("/readyz"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("/metrics"), HasSubstr("\ntern_draining 0\n"));
  app.stop(false);
  EXPECT_THAT(ask("/readyz"), StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(ask("/readyz"), HasSubstr("the server stops"));
  EXPECT_THAT(ask("/livez"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("/metrics"), HasSubstr("\ntern_draining 1\n"));
  EXPECT_THAT(get(app.port(), "/hello"), StartsWith("HTTP/1.1 200"));  // served as before
  app.stop();                                                          // ends the delay
}

TEST_F(ServingAdmin, lists_requests_in_flight_with_route_and_age) {
  app.get("/wait/{id}", [this](int) -> Task<std::string> { return wait(); });
  app.start(quiet());
  net::Peer peer = connect(app.port());
  peer.send("GET /wait/7?x=1 HTTP/1.1\r\nHost: a\r\n\r\n");
  await_waiters(1);
  const std::string body = ask("/requests");
  EXPECT_THAT(body, HasSubstr(R"("method":"GET","path":"/wait/7","route":"/wait/{id}")"));
  EXPECT_THAT(body, HasSubstr(R"("remote":"127.0.0.1")"));
  EXPECT_THAT(body, HasSubstr(R"("awaits":"event")"));
  EXPECT_THAT(body, HasSubstr(R"({"loop":0,"answers":true)"));
  EXPECT_THAT(
      body,
      ContainsRegex(
          R"("sockets":[1-9][0-9]*,"offloaded":0,"timers":[1-9][0-9]*,"posted":[0-9]+,"timer_kinds":\[\{"what":"[^"]+","count":[0-9]+\}.*\],"next_timers":\[\{"milliseconds":[0-9]+,"what":"[^"]+"\}.*\],"requests")"));
  EXPECT_THAT(body, HasSubstr(R"({"loop":0,"answers":true)"));
  EXPECT_THAT(body, HasSubstr(R"({"loop":1,"answers":true)"));
}

// Posts itself again and again: it has always been posted and not begun, except while it runs.
struct Again {
  void operator()() const {
    if (!go) loop.post(Again(*this));
  }
  Executor& loop;
  const std::atomic<bool>& go;
};

TEST_F(ServingAdmin, counts_what_was_posted_to_a_loop) {
  app.get("/post", [this] {
    for (int i = 0; i < 3; ++i) Executor::current()->post(Again{*Executor::current(), go});
    return "";
  });
  Options options = quiet();
  options.threads = 1;
  app.start(options);
  EXPECT_THAT(ask("/requests"), HasSubstr(R"("posted":0)"));
  get(app.port(), "/post");
  EXPECT_THAT(ask("/requests"), HasSubstr(R"("posted":3)"));
  go = true;
  EXPECT_THAT(ask("/requests"), HasSubstr(R"("posted":0)"));
}

// Its answer comes after the document was made, and is thrown away.
TEST_F(ServingAdmin, shows_stalled_loops_which_may_answer_later) {
  app.get("/block", [this] {
    ++waiters;
    while (!go) {
    }
    return "";
  });
  app.start(quiet());
  net::Peer blocking = connect(app.port());
  blocking.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n");
  await_waiters(1);
  std::vector<net::Peer> askers;  // some reach the other loop
  std::vector<pollfd> ready;
  for (int i = 0; i < 20; ++i) {
    askers.push_back(connect(app.port("admin")));
    askers.back().send("GET /requests HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ready.push_back({.fd = askers.back().number(), .events = POLLIN, .revents = 0});
  }
  ASSERT_GT(::poll(ready.data(), ready.size(), net::Peer::patience), 0);
  const auto first = std::ranges::find_if(ready, [](const pollfd& one) { return one.revents != 0; });
  const std::string body = askers[static_cast<std::size_t>(first - ready.begin())].receive_some();
  EXPECT_THAT(body, HasSubstr(R"("answers":true)"));
  EXPECT_THAT(body, HasSubstr(R"("answers":false,"sockets":0)"));
  go = true;
  EXPECT_THAT(blocking.receive_some(), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("/requests"), Not(HasSubstr(R"("answers":false)")));
}

TEST_F(ServingAdmin, changes_the_level_of_the_log_while_it_runs) {
  app.get("/log", [](Request& request) {
    request.log(LogLevel::Info, "quiet or not");
    return "";
  });
  app.start(logged());
  const auto change = [this](const std::string& body) {
    return send(app.port("admin"),
                "PUT /log/level HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: "
                "application/json\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  EXPECT_THAT(ask("/log/level"), HasSubstr(R"({"level":"error","parts":[]})"));
  get(app.port(), "/log");
  EXPECT_THAT(change(R"({"level":"info"})"), HasSubstr(R"({"level":"info","parts":[]})"));
  get(app.port(), "/log?now");
  EXPECT_THAT(change(R"({"level":"loud"})"), StartsWith("HTTP/1.1 422"));
  EXPECT_THAT(change(R"({"level":"off","part":"app"})"), HasSubstr(R"("parts":[{"level":"off","part":"app"}])"));
  get(app.port(), "/log?then");
  EXPECT_THAT(change(R"({"level":"default","part":"app"})"), HasSubstr(R"("parts":[])"));
  EXPECT_THAT(change(R"({"level":"default"})"), StartsWith("HTTP/1.1 422"));
  app.stop();
  const std::string log = content_of(folder.path / "error");
  EXPECT_EQ(log.find("quiet or not"), log.rfind("quiet or not"));
  EXPECT_THAT(log, HasSubstr("GET /log: quiet or not"));
}

TEST_F(ServingAdmin, says_once_that_a_metric_has_reached_its_limit) {
  const Labelled<Counter> visits = app.metrics().counter("visits", "Visits.", {"page"}, 1);
  Options options = logged();
  options.logging.level = LogLevel::Warning;
  app.start(options);
  for (int i = 0; i < 10; ++i) visits.with(std::to_string(i)).add();
  app.stop();
  const std::string log = content_of(folder.path / "error");
  const std::string line = "metric 'visits' has reached its limit of 1 series";
  EXPECT_THAT(log, HasSubstr(line));
  EXPECT_EQ(log.find(line), log.rfind(line));
}

TEST_F(ServingAdmin, logs_when_a_check_fails_and_when_it_passes_again) {
  std::atomic<int> runs = 0;
  admin.check("disk", [&runs] { return ++runs != 2; }, {.every = Milliseconds(20)});
  Options options = logged();
  options.logging.level = LogLevel::Info;
  app.start(options);
  while (runs < 4) std::this_thread::yield();
  app.stop();
  const std::string log = content_of(folder.path / "error");
  EXPECT_THAT(log, HasSubstr("the health check 'disk' fails: the check returned false"));
  EXPECT_THAT(log, HasSubstr("the health check 'disk' passes again"));
}

// A function that is offloaded cannot be stopped: the answer does not wait for it.
TEST_F(ServingAdmin, is_not_ready_while_a_check_hangs) {
  static std::atomic<bool> hangs;  // the thread looks at it after the test, too, until the app is destroyed
  hangs = true;
  admin.check("hanging",
              []() -> Task<> {
                auto hang = [] {
                  while (hangs) std::this_thread::yield();
                };
                co_await offload(hang);
              },
              {.timeout = Milliseconds(20)});
  app.start(quiet());
  std::string answer = ask("/readyz");
  while (!answer.contains("does not end")) answer = ask("/readyz");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
  hangs = false;
}

TEST_F(ServingAdmin, serves_again_after_a_stop) {
  app.start(quiet());
  get(app.port());
  app.stop();
  app.start(quiet());
  get(app.port());
  const std::string labels =
      R"(http_request_method="GET",http_route="/hello",http_response_status_class="2xx",http_response_status_code="200",network_protocol_version="1.1")";
  EXPECT_THAT(metrics_with(duration(labels, 2)), HasSubstr(duration(labels, 2)));  // counters never go back
}

}  // namespace
}  // namespace tern
