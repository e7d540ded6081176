// expect: tern: a word of a Redis command is a string
#include <tern/redis.hpp>

struct Book {
  int id = 0;
};

void store(const tern::Redis& redis, const Book& book) {
  static_cast<void>(redis.command("SET", "book", book));
}
