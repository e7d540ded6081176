// Visits of pages, counted in Redis. Several servers count together, and have one rate limit.
//
//   redis-server &
//   visits --port 8080 & visits --port 8081 &
//   curl -X POST http://127.0.0.1:8080/pages/home     {"page":"home","visits":1}
//   curl -X POST http://127.0.0.1:8081/pages/home     {"page":"home","visits":2}
//   curl -i http://127.0.0.1:8081/top                 at most 20 a minute, on all servers together
//
// While Redis is away, pages are a 503, and each server limits for itself.
#include <tern/redis.hpp>
#include <tern/tern.hpp>
#include <tern/web.hpp>

#include "flags.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Visits {
  std::string page;
  std::int64_t visits = 0;
};

tern::Task<Visits> visit(tern::State<tern::Redis> redis, std::string page) {
  const auto count = co_await redis->command<std::int64_t>("ZINCRBY", "pages", 1, page);
  co_return Visits{page, count};
}

tern::Task<std::vector<Visits>> most_visited(tern::State<tern::Redis> redis) {
  using Pages = std::vector<std::pair<std::string, std::int64_t>>;
  const auto pages = co_await redis->command<Pages>("ZRANGE", "pages", 0, 9, "REV", "WITHSCORES");
  std::vector<Visits> result;
  for (const auto& [page, count] : pages) result.push_back({page, count});
  co_return result;
}

}  // namespace

int main(int argc, char** argv) {
  std::string unix_path;
  const tern::Options options = examples::options(argc, argv, {{"--redis-socket", unix_path}});

  const tern::Redis redis({.unix_path = unix_path, .prefix = "visits", .timeout = tern::Seconds(2)});
  tern::RedisRateStore limits(redis);

  tern::App app;
  app.state(redis);
  app.on_error([](const tern::RedisError&) {
    return tern::HttpError(tern::Status::ServiceUnavailable, "the counts are not available: try again later");
  });
  app.post("/pages/{page}", visit);
  app.get("/top", most_visited)
      .use(tern::RateLimit({.limit = 20, .window = tern::Seconds(60), .name = "top", .store = &limits}));
  return app.run(options);
}
