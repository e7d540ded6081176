#include "tern/reload.hpp"

#include <tern/app/middleware.hpp>
#include <tern/base/ascii.hpp>
#include <tern/http/event_stream.hpp>
#include <tern/http/request.hpp>
#include <tern/http/writer.hpp>

#include <unistd.h>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tern {
namespace {

constexpr std::string_view element = "<script src=\"/.tern/reload.js\"></script>\n";

// A connection that was refused or answered by another program is tried again: EventSource gives up then.
constexpr std::string_view script = R"((() => {
  let first;
  const connect = () => {
    const events = new EventSource("/.tern/reload");
    events.onmessage = ({ data }) => {
      first ??= data;
      if (data !== first) location.reload();
    };
    events.onerror = () => {
      if (events.readyState === EventSource.CLOSED) setTimeout(connect, 200);
    };
  };
  connect();
})();
)";

Response events_of(const std::string& process) {
  return event_stream([process](EventStream& events) -> Task<> {
    const ServerEvent started{.data = process, .retry = Milliseconds(200)};
    co_await events.send(started);
    events.subscribe(".tern/reload");  // without publications: it ends when the server stops
    for (bool goes_on = true; goes_on;) {
      const std::optional<Published> published = co_await events.receive();
      goes_on = published.has_value();
    }
  });
}

// The script and the events, before anything else can refuse them.
class ReloadPaths {
public:
  static constexpr bool comes_first = true;

  explicit ReloadPaths(std::string process) : process_(std::move(process)) {}

  Reply operator()(Request& request, Next next) const {
    if (request.path() == "/.tern/reload") return events_of(process_);
    if (request.path() != "/.tern/reload.js") return next();
    return Response::static_content("text/javascript", script).set("cache-control", "no-store");
  }

private:
  std::string process_;
};

class ScriptedProducer final : public http::Producer {
public:
  explicit ScriptedProducer(base::Box<http::Producer> page) : page_(std::move(page)) {}

  Task<> run(Writer& writer) override {
    co_await page_->run(writer);
    co_await writer.write(element);
  }
  std::optional<std::uint64_t> length() const noexcept override {
    const auto length = page_->length();
    return length ? std::optional(*length + element.size()) : std::nullopt;
  }

private:
  base::Box<http::Producer> page_;
};

void add_element(Response& response) {
  const std::string_view literal = response.literal_type();
  const std::string_view type = literal.empty() ? response.fields().find("content-type").value_or("") : literal;
  const bool is_page = type.size() >= 9 && base::equals_ignoring_case(type.substr(0, 9), "text/html");
  const bool is_whole = !response.fields().find("content-encoding") && response.status() != Status::PartialContent;
  if (!is_page || !is_whole) return;
  if (response.producer() != nullptr) {
    response.set_producer(base::Box<http::Producer>(new ScriptedProducer(response.take_producer())));
    return;
  }
  if (response.content().empty()) return;
  std::string content(response.content());
  content += element;
  if (!literal.empty()) response.set("content-type", literal);
  response.content(std::move(content));
}

}  // namespace

bool take_reload() {
  const bool is_set = std::getenv("TERN_RELOAD") != nullptr;
  ::unsetenv("TERN_RELOAD");
  return is_set;
}

void add_reload(App& app) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  app.use(ReloadPaths(std::to_string(::getpid()) + "-" + std::to_string(now)));
  app.use([](Request&, Next next) {
    Reply reply = next();
    reply.edit(add_element);
    return reply;
  });
}

}  // namespace tern
