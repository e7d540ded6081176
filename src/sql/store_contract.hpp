// The tests of SqlStore for every database. A driver's test program says:
//
//   struct Backend {                             // an empty database
//     const sql::Database& database();
//     template <class T> T run(Task<T> task);    // from any thread; waits for its end
//   };
//   INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, SqlStoreContract, Backend);
#pragma once

#include <tern/app/app.hpp>
#include <tern/base/number.hpp>
#include <tern/sql.hpp>

#include <gtest/gtest.h>

#include <barrier>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tern::sql {

template <class Backend>
class SqlStoreContract : public ::testing::Test {
protected:
  static constexpr Milliseconds hour = Seconds(3600);

  std::optional<std::string> read(SqlStore& store, std::string_view key) {
    const auto found = backend.run(store.read(key));
    return found ? std::optional(found->value) : std::nullopt;
  }
  std::optional<std::uint64_t> write(SqlStore& store, std::string_view key, std::string_view value,
                                     std::optional<std::uint64_t> expected = {}) {
    return backend.run(store.write(key, value, hour, expected));
  }
  std::int64_t rows() {
    return backend.run(backend.database().template scalar<std::int64_t>("select count(*) from tern_store"));
  }
  void expire_all() { backend.run(backend.database().execute("update tern_store set expires = 1")); }

  Backend backend;
};
TYPED_TEST_SUITE_P(SqlStoreContract);

TYPED_TEST_P(SqlStoreContract, entries_are_read_as_they_were_written) {
  SqlStore store(this->backend.database());
  EXPECT_EQ(this->read(store, "key"), std::nullopt);
  const std::string value("\0\r\nvalue\xff", 9);
  const std::string key("'; drop table tern_store; --\0\xff", 30);
  const auto version = this->write(store, key, value);
  EXPECT_NE(version.value(), Store::absent);
  EXPECT_EQ(this->read(store, key), value);
  EXPECT_EQ(this->backend.run(store.read(key)).value().version, version);
  EXPECT_NE(this->write(store, key, ""), version);
  EXPECT_EQ(this->read(store, key), "");
  EXPECT_EQ(this->rows(), 1);
}

TYPED_TEST_P(SqlStoreContract, conditions_are_of_the_version) {
  SqlStore store(this->backend.database());
  const auto first = this->write(store, "key", "one", Store::absent);
  ASSERT_TRUE(first);
  EXPECT_FALSE(this->write(store, "key", "two", Store::absent));
  EXPECT_EQ(this->backend.run(store.read("key")).value().version, first);
  const auto second = this->write(store, "key", "two", first);
  ASSERT_TRUE(second);
  EXPECT_NE(first, second);
  EXPECT_FALSE(this->write(store, "key", "late", first));
  EXPECT_FALSE(this->backend.run(store.erase("key", first)));
  EXPECT_EQ(this->read(store, "key"), "two");
  EXPECT_TRUE(this->backend.run(store.erase("key", second)));
  EXPECT_FALSE(this->backend.run(store.erase("key", second)));
  EXPECT_FALSE(this->write(store, "key", "revived", second));
  EXPECT_FALSE(this->backend.run(store.erase("key")));
  EXPECT_EQ(this->read(store, "key"), std::nullopt);
}

TYPED_TEST_P(SqlStoreContract, expired_entries_are_absent) {
  SqlStore store(this->backend.database());
  const auto version = this->write(store, "key", "one");
  EXPECT_TRUE(this->backend.run(store.extend("key", this->hour)));
  EXPECT_EQ(this->backend.run(store.read("key")).value().version, version);
  this->expire_all();
  EXPECT_EQ(this->read(store, "key"), std::nullopt);
  EXPECT_FALSE(this->backend.run(store.extend("key", this->hour)));
  EXPECT_FALSE(this->backend.run(store.erase("key")));
  EXPECT_FALSE(this->backend.run(store.erase("key", version)));
  EXPECT_FALSE(this->write(store, "key", "revived", version));
  EXPECT_TRUE(this->write(store, "key", "new", Store::absent));
  EXPECT_EQ(this->read(store, "key"), "new");
}

TYPED_TEST_P(SqlStoreContract, an_entry_lives_as_long_as_it_was_said) {
  SqlStore store(this->backend.database());
  const std::int64_t before = std::time(nullptr);
  this->write(store, "key", "one");
  const auto expires =
      this->backend.run(this->backend.database().template scalar<std::int64_t>("select expires from tern_store"));
  EXPECT_GE(expires, before + 3600);
  EXPECT_LE(expires, std::time(nullptr) + 3602);
}

TYPED_TEST_P(SqlStoreContract, a_write_that_is_due_removes_a_bounded_number_of_expired_entries) {
  SqlStore store(this->backend.database(), {.sweep_every = Seconds(1000)});
  this->write(store, "first", "1");  // the first write sweeps
  for (int i = 0; i < 600; ++i) this->write(store, "old" + std::to_string(i), "1");
  this->expire_all();
  this->write(store, "new", "1");
  EXPECT_EQ(this->rows(), 602);  // not due
  SqlStore other(this->backend.database(), {.sweep_every = Seconds(1000)});
  this->write(other, "new", "2");
  EXPECT_EQ(this->rows(), 102);
  this->write(other, "new", "3");  // due at once, because there are more
  EXPECT_EQ(this->rows(), 1);
  EXPECT_EQ(this->read(store, "new"), "3");
}

TYPED_TEST_P(SqlStoreContract, sweep_removes_all_expired_entries) {
  SqlStore store(this->backend.database());
  for (int i = 0; i < 501; ++i) this->write(store, "old" + std::to_string(i), "1");
  this->expire_all();
  EXPECT_EQ(this->backend.run(store.sweep()), 501);
  EXPECT_EQ(this->backend.run(store.sweep()), 0);
}

TYPED_TEST_P(SqlStoreContract, writers_at_the_same_time_lose_nothing) {
  const auto count = [this] {
    SqlStore store(this->backend.database());
    for (int written = 0; written < 100;) {
      const auto entry = this->backend.run(store.read("count"));
      const int value = entry ? base::parse_integer<int>(entry->value).value() : 0;
      if (this->write(store, "count", std::to_string(value + 1), entry ? entry->version : Store::absent)) ++written;
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(count);
  threads.clear();
  SqlStore store(this->backend.database());
  EXPECT_EQ(this->read(store, "count"), "300");
}

TYPED_TEST_P(SqlStoreContract, servers_that_begin_at_the_same_time_have_one_table) {
  constexpr int tables = 20;
  std::barrier begin(4);
  const auto use = [&] {
    for (int i = 0; i < tables; ++i) {
      SqlStore store(this->backend.database(), {.table = "begun_" + std::to_string(i)});
      begin.arrive_and_wait();
      try {
        this->write(store, "key", "1");
      } catch (const StoreError& error) {
        ADD_FAILURE() << error.what();
      }
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(use);
}

TYPED_TEST_P(SqlStoreContract, a_migration_can_create_the_table) {
  SqlStore store(this->backend.database(), {.table = "web_session", .create_table = false});
  EXPECT_THROW(this->write(store, "key", "one"), StoreError);
  const std::string schema = SqlStore::schema("web_session");
  this->backend.run(this->backend.database().script(runtime(schema)));
  this->backend.run(this->backend.database().script(runtime(schema)));
  EXPECT_TRUE(this->write(store, "key", "one"));
  SqlStore other(this->backend.database());
  EXPECT_EQ(this->read(other, "key"), std::nullopt);
}

TYPED_TEST_P(SqlStoreContract, refuses_what_is_too_large_and_names_that_are_none) {
  SqlStore store(this->backend.database(), {.max_value_bytes = 10});
  EXPECT_THROW(this->write(store, "key", "12345678901"), StoreError);
  EXPECT_TRUE(this->write(store, std::string(256, 'k'), "1234567890"));
  EXPECT_THROW(this->write(store, std::string(257, 'k'), "1"), StoreError);
  EXPECT_THROW(this->read(store, std::string(257, 'k')), StoreError);
  for (const char* name : {"", "1a", "a b", "a;", "a.", ".a", "a.b.c", "a.1", "\"a\""}) {
    EXPECT_THROW(SqlStore(this->backend.database(), {.table = name}), SetupError) << name;
  }
}

REGISTER_TYPED_TEST_SUITE_P(SqlStoreContract, entries_are_read_as_they_were_written, conditions_are_of_the_version,
                            expired_entries_are_absent, an_entry_lives_as_long_as_it_was_said,
                            a_write_that_is_due_removes_a_bounded_number_of_expired_entries,
                            sweep_removes_all_expired_entries, writers_at_the_same_time_lose_nothing,
                            servers_that_begin_at_the_same_time_have_one_table, a_migration_can_create_the_table,
                            refuses_what_is_too_large_and_names_that_are_none);

}  // namespace tern::sql
