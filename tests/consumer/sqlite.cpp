// Uses the component sqlite of an installed Tern.
#include <tern/sqlite.hpp>
#include <tern/tern.hpp>

struct Row {
  int x = 0;
};

int main() {
  const tern::Sqlite db;
  auto task = db.one<Row>("select $1 as x", 7);
  return task.start(nullptr, nullptr) && task.result().x == 7 ? 0 : 1;
}
