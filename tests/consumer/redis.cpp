// Uses the component redis of an installed Tern: without a Redis, the app serves, and publications wait for one.
#include <tern/redis.hpp>
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.bus(tern::RedisBus({.host = "127.0.0.1", .port = 1}));
  tern::Options options;
  options.port = 0;
  options.logging.level = tern::LogLevel::Off;
  app.start(options);
  const bool queued = app.publish("topic", "text") == tern::PublishStatus::Queued;
  app.stop();
  return queued ? 0 : 1;
}
