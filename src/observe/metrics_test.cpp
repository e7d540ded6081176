// Metrics of an application, and how /metrics shows them.
#include <tern/observe.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using ::testing::Not;

class MetricsTest : public ::testing::Test {
protected:
  MetricsTest() { app.admin({.port = 0}); }
  std::string text() {
    Client client(app);
    return client.at_listener("admin").get("/metrics").body;
  }
  // Why a metric cannot be made; empty: it can.
  template <class F>
  static std::string fault_of(F make) {
    try {
      make();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  }

  App app;
  Metrics& metrics = app.metrics();
};

TEST_F(MetricsTest, are_counted_and_shown) {
  const Counter orders = metrics.counter("shop_orders", "Orders that were placed.");
  const Gauge stock = metrics.gauge("shop_stock", "Books that are left.");
  const Histogram price = metrics.histogram("shop_price_euros", "Prices.", {1, 10});
  orders.add();
  orders.add(41);
  stock.set(10);
  stock.add(-2.5);
  for (const double each : {0.5, 1.0, 2.0, 100.0}) price.observe(each);
  const std::string all = text();
  EXPECT_THAT(all, HasSubstr("# HELP shop_orders_total Orders that were placed.\n# TYPE shop_orders_total counter\n"
                             "shop_orders_total 42\n"));
  EXPECT_THAT(all, HasSubstr("shop_stock 7.5\n"));
  EXPECT_THAT(all, HasSubstr("shop_price_euros_bucket{le=\"1\"} 2\nshop_price_euros_bucket{le=\"10\"} 3\n"
                             "shop_price_euros_bucket{le=\"+Inf\"} 4\nshop_price_euros_sum 103.5\n"
                             "shop_price_euros_count 4\n"));
}

TEST_F(MetricsTest, have_a_series_for_each_combination_of_labels) {
  const Labelled<Counter> orders = metrics.counter("orders", "Orders.", {"country", "kind"});
  orders.with("de", "book").add();
  orders.with("de", "book").add();
  orders.with(std::string("fr"), "book").add(3);
  // Values that are one text when they are joined.
  orders.with("a", "bc").add(4);
  orders.with("ab", "c").add(5);
  const std::string all = text();
  EXPECT_THAT(all, HasSubstr("orders_total{country=\"de\",kind=\"book\"} 2\n"));
  EXPECT_THAT(all, HasSubstr("orders_total{country=\"fr\",kind=\"book\"} 3\n"));
  EXPECT_THAT(all, HasSubstr("orders_total{country=\"a\",kind=\"bc\"} 4\n"));
  EXPECT_THAT(all, HasSubstr("orders_total{country=\"ab\",kind=\"c\"} 5\n"));
  EXPECT_THAT(fault_of([&] { orders.with("de"); }), HasSubstr("it has 2 labels, but 1 values were given"));
}

TEST_F(MetricsTest, count_what_exceeds_the_limit_of_series_as_other) {
  const Labelled<Counter> visits = metrics.counter("visits", "Visits.", {"page"}, 2);
  visits.with("a").add();
  visits.with("b").add();
  visits.with("c").add();
  visits.with("d").add(2);
  visits.with("a").add();
  const std::string all = text();
  EXPECT_THAT(all,
              HasSubstr("visits_total{page=\"a\"} 2\nvisits_total{page=\"b\"} 1\nvisits_total{page=\"other\"} 3\n"));
  EXPECT_THAT(all, Not(HasSubstr("\"c\"")));
}

TEST_F(MetricsTest, count_values_that_are_long_as_other_too) {
  const Labelled<Counter> visits = metrics.counter("visits", "Visits.", {"page"}, 1);
  visits.with(std::string(257, 'x')).add();
  visits.with(std::string(256, 'y')).add(2);
  visits.with(std::string(5000, 'z')).add(4);
  visits.with("beyond").add(8);
  visits.with("other").add(16);
  const std::string all = text();
  EXPECT_THAT(all, HasSubstr("visits_total{page=\"other\"} 29\nvisits_total{page=\"yyy"));
  EXPECT_THAT(all, Not(HasSubstr("xxx")));
}

// One series of a name and labels: Prometheus drops a second one.
TEST_F(MetricsTest, share_the_series_of_values_that_are_other_themselves) {
  const Labelled<Counter> visits = metrics.counter("visits", "Visits.", {"page"}, 2);
  visits.with("other").add();
  visits.with("a").add();
  visits.with("b").add();
  EXPECT_THAT(text(), HasSubstr("visits_total{page=\"other\"} 2\nvisits_total{page=\"a\"} 1\n#"));
}

TEST_F(MetricsTest, read_gauges_when_they_are_shown) {
  int depth = 3;
  metrics.gauge("depth", "How deep.", [&depth] { return depth; });
  metrics.gauge("broken", "Never there.", []() -> double { throw std::runtime_error("no"); });
  EXPECT_THAT(text(), HasSubstr("depth 3\n"));
  depth = 5;
  EXPECT_THAT(text(), HasSubstr("depth 5\n"));
  EXPECT_THAT(text(), Not(HasSubstr("broken")));
}

TEST_F(MetricsTest, are_the_same_by_the_same_name) {
  metrics.counter("same", "One.").add(1);
  metrics.counter("same", "One.").add(2);
  EXPECT_THAT(text(), HasSubstr("same_total 3\n"));
  EXPECT_THAT(fault_of([&] { metrics.gauge("same", "Another."); }), HasSubstr("there is another of that name"));
  EXPECT_THAT(fault_of([&] { metrics.counter("same", "Another.", {"label"}); }), HasSubstr("another of that name"));
}

TEST_F(MetricsTest, refuse_names_that_prometheus_does_not_take) {
  const auto fault = [&](std::string_view name) { return fault_of([&] { metrics.counter(name, "Help."); }); };
  EXPECT_EQ(fault("a:b_9"), "");
  for (const char* const bad : {"", "9a", "a-b", "a b", "ä"})
    EXPECT_THAT(fault(bad), HasSubstr("the name is not")) << bad;
  EXPECT_THAT(fault("orders_total"), HasSubstr("ends in _total"));
  EXPECT_THAT(fault("tern_x"), HasSubstr("the server's"));
  EXPECT_THAT(fault_of([&] { metrics.counter("x", ""); }), HasSubstr("help text"));
  EXPECT_THAT(fault_of([&] { metrics.counter("x", "X.", {"le"}); }), HasSubstr("cannot name a label"));
  EXPECT_THAT(fault_of([&] { metrics.counter("x", "X.", {"a", "a"}); }), HasSubstr("two labels have one name"));
  EXPECT_THAT(fault_of([&] { metrics.histogram("x", "X.", {2, 1}); }), HasSubstr("ascend"));
}

TEST_F(MetricsTest, are_counted_by_many_threads_without_a_loss) {
  const Counter count = metrics.counter("count", "Count.");
  const Histogram sizes = metrics.histogram("sizes", "Sizes.", {1});
  const Labelled<Counter> by_number = metrics.counter("by_number", "By number.", {"number"});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([=] {
      for (int each = 0; each < 1000; ++each) {
        count.add();
        sizes.observe(2);
        by_number.with(std::to_string(each % 50)).add();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string all = text();
  EXPECT_THAT(all, HasSubstr("count_total 4000\n"));
  EXPECT_THAT(all, HasSubstr("sizes_sum 8000\n"));
  EXPECT_THAT(all, HasSubstr("by_number_total{number=\"49\"} 80\n"));
}

TEST_F(MetricsTest, of_a_handle_without_a_metric_count_nothing) {
  Counter().add();
  Gauge().set(1);
  Histogram().observe(1);
}

TEST_F(MetricsTest, come_in_the_format_that_the_client_accepts) {
  Client client(app);
  client.at_listener("admin");
  EXPECT_EQ(client.get("/metrics").field("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  // What Prometheus 2.42 sends.
  const std::string scrape =
      "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
      "text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
  const testing::TestResponse open = client.send({.target = "/metrics", .fields = {{"accept", scrape}}});
  EXPECT_EQ(open.field("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_TRUE(open.body.ends_with("# EOF\n"));
  EXPECT_EQ(client.send({.target = "/metrics", .fields = {{"accept", "*/*"}}}).field("content-type"),
            "text/plain; version=0.0.4; charset=utf-8");
}

TEST_F(MetricsTest, of_the_process_are_there) {
  const std::string all = text();
  for (const char* const name :
       {"process_cpu_seconds_total ", "process_resident_memory_bytes ", "process_virtual_memory_bytes ",
        "process_open_fds ", "process_max_fds ", "process_start_time_seconds ", "process_threads "}) {
    EXPECT_THAT(all, HasSubstr(std::string("\n") + name));
  }
}

TEST(Metrics, of_a_mounted_app_are_a_mistake) {
  App inner;
  inner.metrics();
  App outer;
  outer.mount("/inner", std::move(inner));
  try {
    outer.service();
    FAIL();
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a mounted app has no metrics"));
  }
}

}  // namespace
}  // namespace tern
