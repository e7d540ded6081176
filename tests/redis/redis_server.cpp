// One of several servers that Redis joins, for redis_test.py: subscribers, and what publishes.
#include <tern/redis.hpp>
#include <tern/tern.hpp>

#include "../../examples/flags.hpp"

namespace {

tern::Task<> member(tern::WebSocket socket, std::string filter) {
  socket.subscribe_filter(filter);
  socket.send("ready");
  while (auto message = co_await socket.receive()) socket.publish("said", message->content);
}

struct Result {
  tern::PublishStatus status;
};

// How often it is to be published, with a number behind it where that is more than once.
struct Times {
  int times = 1;
};

}  // namespace

int main(int argc, char** argv) {
  std::string port;
  std::string unix_path;
  std::string username;
  std::string password;
  std::string queue = "4194304";
  std::string ping = "10000";
  const tern::Options options = examples::options(argc, argv,
                                                  {{"--redis", port},
                                                   {"--unix", unix_path},
                                                   {"--user", username},
                                                   {"--password", password},
                                                   {"--queue", queue},
                                                   {"--ping", ping}});
  tern::RedisOptions redis{.unix_path = unix_path, .username = username, .password = password, .prefix = "test"};
  redis.port = tern::base::parse_integer<std::uint16_t>(port).value_or(6379);
  redis.max_queued = tern::base::parse_integer<std::size_t>(queue).value_or(0);
  redis.ping = tern::Milliseconds(tern::base::parse_integer<int>(ping).value_or(0));
  redis.timeout = tern::Seconds(1);
  redis.retry = tern::Milliseconds(200);

  tern::App app;
  app.bus(tern::RedisBus(redis));
  app.websocket("/topics/{filter...}", member, {.max_queued = 64 * 1024 * 1024});
  app.post("/publish/{topic...}", [&app](std::string topic, tern::Query<Times> times, tern::Body body) {
    if (times->times == 1) return Result{app.publish(topic, body.bytes)};
    Result last{};
    for (int i = 0; i < times->times; ++i)
      last.status = app.publish(topic, std::to_string(i) + ' ' + std::string(body.bytes));
    return last;
  });
  app.post("/publish-binary/{topic...}",
           [&app](std::string topic, tern::Body body) { return Result{app.publish_binary(topic, body.bytes)}; });
  app.on_stop([&app] { app.publish("last", "words"); });
  return app.run(options);
}
