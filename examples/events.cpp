// Server-sent events: a stream that a browser's EventSource reads, here a counter that goes on where a client left off.
//
//   curl --no-buffer http://127.0.0.1:8080/events
//   or open http://127.0.0.1:8080/ in a browser
#include <tern/tern.hpp>

#include "flags.hpp"

namespace {

constexpr std::string_view page = R"(<!doctype html>
<title>Events</title>
<h1>Events</h1>
<p>The server has counted to <output>…</output>.</p>
<script>
  new EventSource("/events").onmessage = event => { document.querySelector("output").value = event.data; };
</script>
)";

tern::Response events(std::optional<tern::Header<"Last-Event-ID", std::uint64_t>> last) {
  const std::uint64_t from = last ? **last + 1 : 1;
  return tern::event_stream([from](tern::EventStream& stream) -> tern::Task<> {
    for (std::uint64_t count = from;; ++count) {
      const std::string text = std::to_string(count);
      co_await stream.send({.data = text, .id = text});
      co_await tern::sleep_for(tern::Milliseconds(200));  // ends when the client goes, or the server stops
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  tern::App app;
  app.get("/events", events);
  app.get("/", [] { return tern::Response::lasting(tern::media::html, page); });
  return app.run(examples::options(argc, argv));
}
