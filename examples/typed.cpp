// Handlers declare their inputs as parameters: placeholders become numbers, enums and text, a query string becomes a
// struct. Values that do not convert never reach the handler. Groups share a prefix and middleware.
//
//   curl http://127.0.0.1:8080/twice/21
//   curl http://127.0.0.1:8080/books/1984
//   curl http://127.0.0.1:8080/books/Emma
//   curl "http://127.0.0.1:8080/search?q=sea+birds&tag=arctic&tag=tern&limit=5"
//   curl --header "X-Key: sesame" http://127.0.0.1:8080/api/v1/admin/status
#include <tern/tern.hpp>

#include "flags.hpp"

namespace {

enum class Day { Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday };

// GET /search: `q` is required, members with a default are optional, `tag` may be repeated.
struct Search {
  std::string q;
  std::vector<std::string> tag;
  int limit = 10;
  std::optional<bool> exact;
};

// A middleware around the handlers of its group: it sees their responses.
tern::Reply stamp(tern::Request&, tern::Next next) {
  return next().then([](tern::Response response) {
    response.set("x-api", "v1");
    return response;
  });
}

// A middleware that responds itself if the key is wrong.
tern::Reply require_key(tern::Request& request, tern::Next next) {
  if (request.field("x-key") == "sesame") return next();
  throw tern::HttpError(tern::Status::Forbidden, "this needs the key");
}

}  // namespace

int main(int argc, char** argv) {
  tern::App app;

  // Types: a segment that is not an int32 is a 404.
  app.get("/twice/{n}", [](std::int32_t n) { return std::int64_t{n} * 2; });
  app.get("/sum/{a}/{b}", [](double a, double b) { return a + b; });
  app.get("/weekend/{day}", [](Day day) { return day >= Day::Saturday; });

  // A regular expression; a plain placeholder gets the other segments.
  app.get("/books/{id:[0-9]+}", [](std::int64_t id) { return "book number " + std::to_string(id); });
  app.get("/books/{title}", [](std::string_view title) { return "the book called " + std::string(title); });

  // The rest of the path, including slashes; may be empty.
  app.get("/files/{path...}", [](std::string_view path) { return "file '" + std::string(path) + "'"; });

  // A query string, as a struct; a struct, as JSON.
  app.get("/search", [](tern::Query<Search> search) { return *search; });

  auto api = app.group("/api/v1");
  api.use(stamp);
  api.get("/status", [] { return "up"; });
  auto admin = api.group("/admin");
  admin.use(require_key);
  admin.get("/status", [] { return "up, for administrators"; }).problem(tern::Status::Forbidden);

  app.openapi({.title = "Typed handlers", .docs = "/docs"});
  return app.run(examples::options(argc, argv));
}
