// Server-sent events for a browser's EventSource: a counter that continues where a reconnecting client left off, and
// news that clients post.
//
//   curl --no-buffer http://127.0.0.1:8080/events
//   curl --no-buffer http://127.0.0.1:8080/news &
//   curl --json '{"text": "Terns have arrived."}' http://127.0.0.1:8080/news
//   or open http://127.0.0.1:8080/ in a browser
#include <tern/tern.hpp>

#include "flags.hpp"

namespace {

constexpr std::string_view page = R"(<!doctype html>
<title>Events</title>
<h1>Events</h1>
<p>The server has counted to <output>…</output>.</p>
<ul></ul>
<script>
  new EventSource("/events").onmessage = event => { document.querySelector("output").value = event.data; };
  new EventSource("/news").onmessage = event => {
    document.querySelector("ul").appendChild(document.createElement("li")).textContent = event.data;
  };
</script>
)";

tern::Response events(std::optional<tern::Header<"Last-Event-ID", std::uint64_t>> last) {
  const std::uint64_t from = last ? **last + 1 : 1;
  return tern::event_stream([from](tern::EventStream& stream) -> tern::Task<> {
    for (std::uint64_t count = from;; ++count) {
      const std::string text = std::to_string(count);
      co_await stream.send({.data = text, .id = text});
      co_await tern::sleep_for(
          tern::Milliseconds(200));  // throws Cancelled when the client disconnects, or the server stops
    }
  });
}

struct News {
  std::string text;
};

tern::Response news() {
  return tern::event_stream([](tern::EventStream& stream) -> tern::Task<> {
    stream.subscribe("news");
    co_await stream.send("Here is the news.");
    while (const auto message = co_await stream.receive()) co_await stream.send(message->content);
  });
}

}  // namespace

int main(int argc, char** argv) {
  tern::App app;
  app.get("/events", events).response(tern::Status::Ok, "The counter", "text/event-stream");
  app.get("/news", news).response(tern::Status::Ok, "The news as they are posted", "text/event-stream");
  app.post("/news", [&app](tern::Json<News> posted) {
    app.publish("news", posted->text);
    return tern::Status::NoContent;
  });
  app.get("/", [] { return tern::Response::static_content(tern::media::html, page); }).hide();
  app.openapi({.title = "News", .docs = "/docs"});
  return app.run(examples::options(argc, argv));
}
