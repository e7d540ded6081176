// Rules beside a struct: all violations of a request are in one 422, whose texts may be in another language.
//
//   curl --json '{"guest":"ada@example.org","begin":"2026-07-01","end":"2026-07-05"}' http://127.0.0.1:8080/stays/12
//   curl --json '{"guest":"ada","begin":"2026-02-30","end":"x","guests":9}' http://127.0.0.1:8080/stays/99
//   curl -H 'accept-language: de' 'http://127.0.0.1:8080/stays?page=0'
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include "flags.hpp"

namespace {

struct Stay {
  std::int64_t id = 0;
  std::string guest;
  std::string begin;
  std::string end;
  int guests = 1;
  std::vector<std::string> wishes = {};
};

struct Room : tern::Path<"room", int> {};
struct Page : tern::QueryParam<"page", int, 1> {};

}  // namespace

template <>
struct tern::JsonDefaults<Stay> {
  static constexpr std::string_view may_be_missing[] = {"guests", "wishes"};
};

template <>
struct tern::Rules<Stay> {
  static constexpr auto list = tern::rules(
      tern::describe("A stay in a room"), tern::member<&Stay::id>(tern::read_only()),
      tern::member<&Stay::guest>(tern::format(tern::Format::Email), tern::example("ada@example.org")),
      tern::member<&Stay::begin>(tern::format(tern::Format::Date)),
      tern::member<&Stay::end>(tern::format(tern::Format::Date)), tern::member<&Stay::guests>(tern::range(1, 4)),
      tern::member<&Stay::wishes>(tern::max_items(3), tern::unique_items(), tern::each(tern::length(1, 40))),
      tern::check<&Stay::end>("end_after_begin", "must be after the begin",
                              [](const Stay& stay) { return stay.end > stay.begin; }));
};

template <>
struct tern::Rules<Room> {
  static constexpr auto list = tern::rules(tern::range(1, 20), tern::describe("The number at the door"));
};
template <>
struct tern::Rules<Page> {
  static constexpr auto list = tern::rules(tern::range(1, 100));
};

namespace {

std::string in_german(const tern::ProblemItem& violation, const tern::Request& request) {
  if (!request.field("accept-language").value_or("").starts_with("de")) return {};
  if (violation.code == "minimum") return "muss mindestens " + violation.expected + " sein";
  if (violation.code == "maximum") return "darf " + violation.expected + " nicht \u00FCbersteigen";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  tern::App app;
  app.on_violation(in_german);
  app.post("/stays/{room}", [](Room room, tern::Json<Stay> stay) {
    stay->id = *room * 1000 + 1;
    return *stay;
  });
  app.get("/stays", [](Page page) { return "page " + std::to_string(*page); });
  app.openapi({.title = "Stays", .docs = "/docs"});
  return app.run(examples::options(argc, argv));
}
