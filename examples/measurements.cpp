// Compressed contents in both directions: a device posts its measurements, and a client reads them as JSON lines.
//
//   printf '[{"sensor": 1, "celsius": 20.5}, {"sensor": 2, "celsius": 4}]' | gzip |
//     curl --data-binary @- -H 'Content-Encoding: gzip' -H 'Content-Type: application/json'
//     http://127.0.0.1:8080/measurements
//   curl --compressed -i http://127.0.0.1:8080/measurements
#include <tern/tern.hpp>
#include <tern/web.hpp>

#include "flags.hpp"

#include <vector>

namespace {

struct Measurement {
  std::uint32_t sensor;
  double celsius;
};

using Measurements = tern::Shared<std::vector<Measurement>>;

tern::Status store(tern::State<Measurements> stored, tern::Json<std::vector<Measurement>> posted) {
  auto measurements = stored->lock();
  measurements->insert(measurements->end(), posted->begin(), posted->end());
  return tern::Status::NoContent;
}

// The lock is held while a line is made, not while the client reads.
tern::Response list(tern::State<Measurements> stored) {
  return tern::Response::stream("application/x-ndjson", [stored](tern::Writer& writer) -> tern::Task<> {
    for (std::size_t i = 0;; ++i) {
      std::string line;
      {
        const auto measurements = stored->lock();
        if (i >= measurements->size()) co_return;
        line = tern::json::to_string((*measurements)[i]) + "\n";
      }
      co_await writer.write(line);
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  tern::App app;
  app.state(Measurements());
  app.use(tern::Compress());
  app.get("/measurements", list);
  app.post("/measurements", store).use(tern::Decompress()).limits({.max_body_bytes = 1024 * 1024});
  app.openapi({.title = "Measurements", .docs = "/docs"});
  return app.run(examples::options(argc, argv));
}
