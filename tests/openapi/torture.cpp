#include "openapi/torture.hpp"

#include <utility>

using torture::Csv;
using torture::Money;
using torture::User;

void tern::JsonCodec<Money>::write(tern::json::Writer& writer, const Money& money) {
  const std::string cents = std::to_string(money.cents % 100);
  writer.text(std::to_string(money.cents / 100) + (cents.size() < 2 ? ".0" : ".") + cents);
}

void tern::JsonCodec<Money>::read(tern::json::Reader& reader, Money& money) {
  std::string_view text;
  if (!reader.text(text)) return;
  const std::size_t dot = text.find('.');
  const auto whole = tern::base::parse_integer<std::uint32_t>(text.substr(0, dot));
  const bool has_cents = dot != text.npos && dot <= 9 && text.size() == dot + 3;
  const auto cents = tern::base::parse_integer<std::uint32_t>(has_cents ? text.substr(dot + 1) : std::string_view());
  if (!whole || !cents) return reader.fail("expected an amount such as 12.50");
  money.cents = std::int64_t{*whole} * 100 + *cents;
}

std::expected<User, tern::Rejection> tern::Extract<User>::from(tern::Request& request) {
  const auto name = request.field("x-user");
  if (!name || name->empty()) return std::unexpected(tern::Rejection(tern::Status::Forbidden, "who are you?"));
  return User{std::string(*name)};
}

tern::Response tern::Respond<Csv>::to(Csv csv, tern::Request&) {
  return tern::Response::bytes("text/csv", std::move(csv.text));
}

namespace torture {
namespace {

tern::Task<std::size_t> count(tern::BodyStream stream) {
  std::size_t size = 0;
  while (const auto piece = co_await stream.next()) size += piece->size();
  co_return size;
}

tern::Created<Item> add_item(tern::Json<NewItem> content) {
  return tern::created(Item{7, content->name, content->price}, "/items/7");
}

std::optional<Item> one_item(std::int64_t id) {
  if (id != 7) return std::nullopt;
  return Item{7, "Seven", {700}};
}

std::expected<Item, OutOfStock> buy_item(std::int32_t id) {
  if (id % 2 == 0) return std::unexpected(OutOfStock{id});
  return Item{id, "Odd", {100}};
}

std::expected<void, tern::Problem> check_item(std::int32_t id) {
  if (id < 0) return std::unexpected(tern::Problem{tern::Status::Conflict, "negative"});
  return {};
}

tern::Task<> echo(tern::WebSocket socket) {
  while (auto message = co_await socket.receive()) co_await socket.send(*message);
}

tern::Response events(tern::Request&) {
  return tern::event_stream([](tern::EventStream& stream) -> tern::Task<> { co_await stream.send("once"); });
}

std::string upload(tern::Multipart<UploadForm> form) {
  return form->title + ": " + std::to_string(form->file.size());
}

void add_json_routes(tern::App& app) {
  auto json = app.group("/json");
  json.tags({"JSON"}).description("Returns what it was sent, or a part of it.");
  json.post("/everything", [](tern::Json<Everything> all) { return std::move(*all); }).name("everything");
  json.post("/settings", [](tern::Json<Settings> settings) { return *settings; })
      .summary("Changes settings")
      .description("Members that are missing have their *defaults*.")
      .example(Settings{});
  json.post("/tree", [](tern::Json<Tree> tree) { return std::move(*tree); });
  json.post("/list", [](tern::Json<ListNode> list) { return std::move(*list); });
  json.post("/account", [](tern::Json<Account> account) { return std::move(*account); });
  json.post("/booking", [](tern::Json<Booking> booking) { return std::move(*booking); });
  json.post("/drawing", [](tern::Json<Drawing> drawing) { return std::move(*drawing); });
  json.post("/things", [](tern::Json<first::Thing> thing) { return second::Thing{std::to_string(thing->a)}; });
  json.post("/strict", [](tern::Json<Strict> strict) { return *strict; });
  json.post("/optional", [](std::optional<tern::Json<Point>> point) { return point ? (*point)->x : 0.0; });
  json.post("/ruled", [](tern::Json<Ruled> ruled) { return std::move(*ruled); })
      .problem(tern::Status::UnprocessableContent);
  json.post("/numbers", [](tern::Json<std::vector<int>> numbers) { return numbers->size(); });
  json.post("/named", [](tern::Json<Anything> any) { return std::move(*any); });
}

void add_parameter_routes(tern::App& app) {
  auto group = app.group("/parameters");
  group.name("parameters").description("Returns what it was asked for.");
  group.get("/query", [](tern::Query<Filter> filter) { return filter->limit; }).name("query");
  group.get("/ruled", [](tern::Query<RuledQuery> query, PageNumber number) { return query->limit * *number; });
  group.get("/one", [](tern::QueryParam<"page", int, 1> page, tern::QueryParam<"name", std::string, "x"> name,
                       tern::QueryParam<"colour", std::optional<Colour>>) { return *name + std::to_string(*page); });
  group.get("/fields", [](tern::Header<"X-Count", int> count, std::optional<tern::Header<"X-Note">>,
                          std::optional<tern::Cookie<"theme", Colour>>) { return *count; });
  group.get("/numbers/{small}/{real}/{colour}", [](std::uint8_t, double, Colour colour) { return colour; });
  group.get("/named/{a}/{b}",
            [](tern::Path<"b", bool> b, tern::Path<"a"> a) { return std::string(*a) + (*b ? "1" : "0"); });
  group.get("/year/{year}", [](Year year) { return *year; });
  group.get("/regex/{code:[A-Z]{2}}", [](std::string code) { return code; });
  group.get("/rest/{path...}", [](std::string_view path) { return std::string(path); });
  group.get("/user", [](User user) { return user.name; });
  group.post("/login", [](tern::Form<LoginForm> form) { return form->user; });
  group.post("/upload", upload);
  group.post("/stream", count).deprecated();
  group.post("/body", [](tern::Body body) { return std::to_string(body.bytes.size()); });
}

void add_response_routes(tern::App& app) {
  app.on_error([](const OutOfStock&) { return tern::HttpError(tern::Status::Conflict, "out of stock"); });
  auto group = app.group("/responses");
  group.tags({"Responses"}).description("Responds in one of the possible ways.");
  group.get("/nothing", [] {});
  group.get("/text", [] { return "text"; });
  group.get("/csv", [] { return Csv{"a,b\r\n"}; });
  group.get("/redirect", [] { return tern::redirect("/responses/text"); });
  group.get("/accepted", [] { return tern::with_status(tern::Status::Accepted, Point{1, 2}); })
      .response<Point>(tern::Status::Accepted);
  group.get("/events", events).response(tern::Status::Ok, "Events", "text/event-stream");
  group.get("/page", [] { return Page<Item>{{{1, "One", {}}}, 1}; });
  group.get("/buy/{id}", buy_item).problem(tern::Status::Conflict, "It is out of stock");
  group.get("/check/{id}", check_item).problem(tern::Status::Conflict);
  group.get("/flag", [] { return std::map<std::string, std::optional<bool>>{{"a", true}, {"b", {}}}; });
  group.get("/counts", [] { return Counts{{{-5, "minus five"}}, {}}; });
  group.websocket("/echo", echo);
  group.get("/report/{id}", [](std::int32_t id, tern::Query<RuledQuery>) { return Point{static_cast<double>(id), 2}; })
      .name("report");
  group.get("/report/{id}", tern::produces("text/csv", [](std::int32_t id, tern::Query<RuledQuery>) {
              return std::to_string(id) + ",2\n";
            }));
  group.get("/report/{id}",
            tern::produces("application/vnd.torture.v2+json", [](std::int32_t id, tern::Query<RuledQuery> query) {
              return second::Thing{std::to_string(std::int64_t{id} * query->limit)};
            }));
  app.resource<Document>("/documents/{id}")
      .name("document")
      .description("A resource with several methods.")
      .tags({"Items"})
      .problem(tern::Status::NotFound)
      .response<void>(tern::Status::NoContent);
  auto items = app.group("/items");
  items.tags({"Items"}).description("Things to buy.");
  items.route("").post(add_item).get([] { return std::vector<Item>{}; }).name("items");
  items.get("/{id}", one_item).operation_id("oneItem");
  items.get("/{name:[a-z]+}", [](std::string name) { return name; });
  app.on("PURGE", "/cache", [] {}).name("purge");
}

}  // namespace

tern::OpenApiOptions options() {
  return {.title = "Torture",
          .version = "2.0",
          .description = "One of **each**.",
          .contact_name = "Tern",
          .license = "MIT",
          .license_url = "https://opensource.org/license/mit",
          .servers = {{"/", "This server"}},
          .tags = {{"JSON", "Content"}},
          .security = {{"key", R"({"type":"apiKey","in":"header","name":"X-Key"})"}},
          .docs = "/docs"};
}

tern::App make_app() {
  tern::App app;
  add_json_routes(app);
  add_parameter_routes(app);
  add_response_routes(app);

  auto secret = app.group("/secret");
  secret.use(RequireKey()).tags({"Secret"}).description("Needs the key.");
  secret.get("/number", [] { return 42; });
  app.get("/hidden", [] { return "hidden"; }).hide();

  tern::App inner;
  inner.get("/inside", [](tern::QueryParam<"x", int> x) { return *x; }).name("inside");
  app.mount("/inner", std::move(inner)).name("inner").description("In a mounted app.");

  app.openapi(options());
  return app;
}

}  // namespace torture
