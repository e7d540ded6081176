// Handlers whose arguments have rules, and the same without, as `script/bench rules` measures them.
#include "bench_flags.hpp"
#include "books.hpp"

#include <tern/tern.hpp>

#include <string>
#include <vector>

namespace {

template <class Book>
void add(tern::App& app, const std::string& name) {
  app.post(tern::runtime("/object/" + name), [](const tern::Json<Book>& value) { return value->year; });
  app.post(tern::runtime("/list/" + name), [](const tern::Json<std::vector<Book>>& value) { return value->size(); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Flags flags = bench::flags(argc, argv);
  tern::App app;
  add<bench::Book>(app, "plain");  // names of one length
  add<bench::RuledBook<bench::RuledAuthor>>(app, "ruled");
  add<bench::RuledBook<bench::FormattedAuthor>>(app, "email");
  add<bench::RuledBook<bench::MatchedAuthor>>(app, "match");
  return app.run(flags.options);
}
