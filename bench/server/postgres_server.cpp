// The routes of bench/harness/postgres.py on PostgreSQL.
#include <tern/postgres.hpp>
#include <tern/tern.hpp>
#include <tern/web.hpp>

#include "../../examples/flags.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct World {
  std::int32_t id = 0;
  std::int32_t randomnumber = 0;
};
struct WorldAnswer {
  std::int32_t id = 0;
  std::int32_t randomNumber = 0;  // NOLINT: the name in the answer
};
struct Fortune {
  std::int32_t id = 0;
  std::string_view message;
};
struct FortunePage {
  tern::Rows<Fortune> fortunes;
};
struct Range {
  int min = 10;
  int max = 50;
  int limit = 50;
};
struct ItemRow {
  std::int32_t id = 0;
  std::string_view name;
  std::string_view category;
  std::int32_t price = 0;
  std::int32_t quantity = 0;
  bool active = false;
  tern::json::RawView tags;
  std::int32_t rating_score = 0;
  std::int32_t rating_count = 0;
};
struct Rating {
  std::int32_t score = 0;
  std::int32_t count = 0;
};
struct Item {
  std::int32_t id = 0;
  std::string_view name;
  std::string_view category;
  std::int32_t price = 0;
  std::int32_t quantity = 0;
  bool active = false;
  tern::json::RawView tags;
  Rating rating;
};
struct Items {
  std::vector<Item> items;
  std::size_t count = 0;
};

constexpr int rows = 10'000;
constexpr int batch = 20;

std::int32_t random_id() {
  thread_local std::minstd_rand random(std::random_device{}());
  return std::uniform_int_distribution<std::int32_t>(1, rows)(random);
}

tern::Task<WorldAnswer> read_world(const tern::Postgres& db) {
  const World world = co_await db.one<World>("select id, randomnumber from world where id = $1", random_id());
  co_return WorldAnswer{world.id, world.randomnumber};
}

// One round trip, with one Sync.
tern::Task<std::vector<WorldAnswer>> read_worlds(const tern::Postgres& db) {
  tern::SqlBatch reads;
  std::vector<tern::BatchResult<World>> results;
  results.reserve(batch);
  for (int i = 0; i < batch; ++i)
    results.push_back(reads.one<World>("select id, randomnumber from world where id = $1", random_id()));
  co_await db.run(reads);
  std::vector<WorldAnswer> worlds;
  worlds.reserve(batch);
  for (auto& result : results) {
    const World world = result.take();
    worlds.push_back({world.id, world.randomnumber});
  }
  co_return worlds;
}

tern::Task<std::vector<WorldAnswer>> update_worlds(const tern::Postgres& db) {
  std::vector<WorldAnswer> worlds = co_await read_worlds(db);
  std::ranges::sort(worlds, {}, &WorldAnswer::id);  // so that updates do not wait in a circle
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> numbers;
  for (WorldAnswer& world : worlds) {
    world.randomNumber = random_id();
    ids.push_back(world.id);
    numbers.push_back(world.randomNumber);
  }
  co_await db.execute(
      "update world set randomnumber = v.n from (select unnest($1::int[]) as i, unnest($2::int[]) as n) as v "
      "where world.id = v.i",
      ids, numbers);
  co_return worlds;
}

tern::Task<tern::Response> read_items(const tern::Postgres& db, Range range) {
  auto found = co_await db.rows<ItemRow>(
      "select id, name, category, price, quantity, active, tags, rating_score, rating_count from items where price "
      "between "
      "$1 and $2 limit $3",
      range.min, range.max, std::clamp(range.limit, 1, 50));
  Items answer;
  answer.items.reserve(found.size());
  for (const ItemRow& row : found) {
    answer.items.push_back({row.id,
                            row.name,
                            row.category,
                            row.price,
                            row.quantity,
                            row.active,
                            row.tags,
                            {row.rating_score, row.rating_count}});
  }
  answer.count = answer.items.size();
  std::string text;
  text.reserve(8192);
  tern::json::write(text, answer);
  co_return tern::Response::json(std::move(text));
}

}  // namespace

int main(int argc, char** argv) {
  std::string url;
  std::string templates;
  const tern::Options options = examples::options(argc, argv, {{"--database", url}, {"--templates", templates}});
  const tern::Postgres db(url);
  tern::App app;
  app.templates(templates);
  app.get("/db", [&db] { return read_world(db); });
  app.get("/queries", [&db] { return read_worlds(db); });
  app.get("/updates", [&db] { return update_worlds(db); });
  app.get("/fortunes", [&db]() -> tern::Task<tern::Rendered<FortunePage>> {
    FortunePage page;
    page.fortunes = co_await db.rows<Fortune>("select id, message from fortune");
    page.fortunes.push_back({0, "Additional fortune added at request time."});
    std::ranges::sort(page.fortunes, {}, &Fortune::message);
    co_return tern::render("fortunes", std::move(page));
  });
  app.get("/async-db", [&db](tern::Query<Range> range) { return read_items(db, range.value); });
  return app.run(options);
}
