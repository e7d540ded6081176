// expect: nothing
#include <tern/tern.hpp>

struct Page {
  int limit = 20;
};
struct Book {
  std::int64_t id;
  std::string title;
};
struct Shelf {
  std::vector<Book> get() { return {}; }
  tern::Created<Book> post(tern::Json<Book> book) const { return {*book, "/shelf/1"}; }
};

int main() {
  tern::App app;
  app.get("/hello", [] { return "Hello, World!"; });
  app.get("/twice/{n}", [](std::int32_t n) { return std::int64_t{n} * 2; });
  app.get("/books", [](tern::Query<Page> page) -> std::vector<Book> { return {{page->limit, "x"}}; });
  app.get("/books/{id:[0-9]+}/{rest...}",
          [](std::int64_t id, const std::string&) -> std::optional<Book> { return Book{id, "x"}; });
  app.get("/task/{id}", [](const tern::Path<"id", int>& id, tern::Request&) -> tern::Task<int> { co_return *id; });
  app.get(tern::runtime("/run/time"), [] { return tern::Status::NoContent; });
  app.use([](tern::Request&, tern::Next next) { return next(); });
  app.use([](tern::State<std::vector<int>>, tern::Next next) { return next(); });
  app.fallback([] { return tern::Status::NotFound; });
  app.mount("/mounted", tern::App()).name("mounted").limits({.max_body_bytes = 10});
  app.on_error([](const std::exception&) { return tern::Status::BadGateway; });
  app.resource<Shelf>("/shelf").name("shelf");
  app.put(tern::runtime("/run/time"), [](tern::QueryParam<"page", int, 1> page) { return tern::created(*page, "/x"); });
  app.get("/moved", []() -> std::optional<tern::Response> { return tern::redirect("/hello"); });
  app.state(tern::Shared<std::vector<Book>>());
  app.get("/shared", [](tern::State<tern::Shared<std::vector<Book>>> books) { return books->lock()->size(); });
  app.route("/chained").get([] {}).put([](tern::Body body) { return body; });
}
