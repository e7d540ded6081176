// A report that takes a second to make, and is made once in ten seconds, however many clients ask.
//
//   curl -i http://127.0.0.1:8080/report            the first takes a second; the next ones have Age
//   curl -i http://127.0.0.1:8080/report -H 'If-None-Match: "…"'    304
//   curl -X DELETE http://127.0.0.1:8080/report     the next one is made anew
#include <tern/tern.hpp>
#include <tern/web.hpp>

#include "flags.hpp"

#include <atomic>

int main(int argc, char** argv) {
  const tern::Options options = examples::options(argc, argv);

  // Compression is inside of the cache: compressed contents are stored.
  const tern::Cache reports = tern::cache({.ttl = tern::Seconds(10), .stale_while_revalidate = tern::Seconds(60)});
  std::atomic<int> made = 0;

  tern::App app;
  app.route("/report")
      .get([&made]() -> tern::Task<std::string> {
        const int number = ++made;
        co_await tern::sleep_for(tern::Seconds(1));  // a database, for instance
        co_return "report number " + std::to_string(number) + "\n";
      })
      .del([reports] {
        reports.clear("/report");
        return tern::Status::NoContent;
      })
      .use(reports)
      .use(tern::Compress());
  return app.run(options);
}
