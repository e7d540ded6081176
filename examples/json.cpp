// JSON in, JSON out: with structs, which need no macros or registration, and with nlohmann::json.
//
//   curl --json '{"item":"pen","price":2.5,"quantity":4}' http://127.0.0.1:8080/orders
//   curl --json '{"item":"pen","price":2.5,"quantity":4}' http://127.0.0.1:8080/dynamic/orders
// curl --json '{"item":7,"quantity":0.5}' http://127.0.0.1:8080/orders        (422: lists every invalid member)
#include <tern/json/nlohmann.hpp>
#include <tern/tern.hpp>

#include "flags.hpp"

namespace {

struct Order {
  std::string item;
  double price;
  int quantity = 1;  // optional, because it has a default
  std::optional<bool> gift;
  std::optional<std::string> note;  // optional, too
};

struct Amounts {
  double net;
  double tax;
  double total;
};

struct Receipt {
  std::string item;
  int quantity;
  bool gift;
  Amounts amounts;
  std::vector<double> discounts;  // the price of one piece for 1, 10 and 100 pieces
  std::vector<std::string> remarks;
};

Receipt order(tern::Json<Order> order) {
  const double net = order->price * order->quantity;
  return {
      .item = order->item,
      .quantity = order->quantity,
      .gift = order->gift.value_or(false),
      .amounts = {.net = net, .tax = net * 0.25, .total = net * 1.25},
      .discounts = {order->price, order->price * 0.75, order->price * 0.5},
      .remarks = {order->note.value_or("thank you")},
  };
}

// The same without structs: every member is found and checked by hand.
nlohmann::json dynamic_order(tern::Json<nlohmann::json> content) {
  const nlohmann::json& order = *content;
  if (!order.is_object() || !order.contains("item") || !order.contains("price") || !order["price"].is_number()) {
    throw tern::HttpError(tern::Status::UnprocessableContent, "an order has an item and a price");
  }
  const double price = order["price"];
  const int quantity = order.value("quantity", 1);
  const double net = price * quantity;
  return {
      {"item", order["item"]},
      {"quantity", quantity},
      {"gift", order.value("gift", false)},
      {"amounts", {{"net", net}, {"tax", net * 0.25}, {"total", net * 1.25}}},
      {"discounts", {price, price * 0.75, price * 0.5}},
      {"remarks", nlohmann::json::array({order.value("note", "thank you")})},
  };
}

}  // namespace

int main(int argc, char** argv) {
  tern::App app;
  app.post("/orders", order);
  app.post("/dynamic/orders", dynamic_order);
  // order.value() throws for a member of another type: this mapping is its response.
  app.on_error([](const nlohmann::json::exception& error) {
    return tern::HttpError(tern::Status::UnprocessableContent, error.what());
  });
  app.openapi({.title = "Orders", .docs = "/docs"});
  return app.run(examples::options(argc, argv));
}
