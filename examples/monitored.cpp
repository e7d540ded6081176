// A shop that shows how it does: metrics for Prometheus and health for a load balancer, on an address of their own, and
// traces in a file.
//
//   curl http://127.0.0.1:8080/orders --json '{"article":"tea","cents":350}' {"number":1,"article":"tea","cents":350}
//   curl http://127.0.0.1:9090/metrics | grep shop_                               shop_orders_total{kind="drink"} 1 …
//   curl http://127.0.0.1:9090/readyz                                             {"status":"pass","checks":{…}}
//   curl -X POST http://127.0.0.1:8080/close                                      no more orders: readyz fails
//
// --admin-port N sets the port of the admin address, --traces FILE has all traces written, in OpenTelemetry's JSON.
#include <tern/observe.hpp>
#include <tern/tern.hpp>

#include "flags.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace {

struct NewOrder {
  std::string article;
  int cents = 0;
};

struct Order {
  int number = 0;
  std::string article;
  int cents = 0;
};

struct Shop {
  std::atomic<int> orders = 0;
  std::atomic<bool> is_open = true;
};

// Labels have few values: an article would be one too many.
std::string_view kind_of(std::string_view article) {
  return article == "tea" || article == "coffee" ? "drink" : "food";
}

}  // namespace

int main(int argc, char** argv) {
  std::string admin_port = "9090";
  std::string traces;
  const tern::Options options = examples::options(argc, argv, {{"--admin-port", admin_port}, {"--traces", traces}});

  Shop shop;
  tern::App app;
  const auto orders = app.metrics().counter("shop_orders", "Orders that were placed.", {"kind"});
  const auto prices = app.metrics().histogram("shop_order_euros", "What orders cost.", {1, 5, 10, 50});
  app.metrics().gauge("shop_open", "1 while orders are taken.", [&shop] { return shop.is_open ? 1.0 : 0.0; });

  app.admin({.port = tern::base::parse_integer<std::uint16_t>(admin_port).value_or(9090)})
      .check("shop",
             [&shop] {
               if (!shop.is_open) throw std::runtime_error("the shop is closed");
             },
             {.every = tern::Milliseconds(100)});

  if (!traces.empty()) {
    tern::TracingOptions tracing{.ratio = 1};
    tracing.exporter = tern::otlp_file(traces, "monitored");
    app.trace(std::move(tracing));
  }

  const auto order = [&shop, orders, prices](const tern::Request& request, tern::Json<NewOrder> wanted) {
    if (!shop.is_open) throw tern::HttpError(tern::Status::ServiceUnavailable, "the shop is closed");
    const tern::Span place = tern::span(request, "place");
    orders.with(kind_of(wanted->article)).add();
    prices.observe(wanted->cents / 100.0);
    const Order placed{++shop.orders, wanted->article, wanted->cents};
    return tern::created(placed, "/orders/" + std::to_string(placed.number));
  };
  app.post("/orders", order).problem(tern::Status::ServiceUnavailable, "The shop is closed");
  app.post("/close", [&shop] { shop.is_open = false; });
  app.openapi({.title = "Shop", .docs = "/docs"});
  return app.run(options);
}
