// The database of one test: a schema of its own in a PostgreSQL that the tests start.
#pragma once

#include "database.hpp"

#include <tern/postgres/testing.hpp>

class TestDatabase {
  static const tern::testing::PostgresServer& server() {
    static const tern::testing::PostgresServer started;
    return started;
  }

  tern::testing::PostgresSchema schema{server()};

public:
  Database database{schema.url()};
};
