// expect: tern: the reply to a Redis command becomes
#include <tern/redis.hpp>

struct Book {
  int id = 0;
};

tern::Task<> load(const tern::Redis& redis) {
  const Book book = co_await redis.command<Book>("GET", "book");
  static_cast<void>(book);
}
