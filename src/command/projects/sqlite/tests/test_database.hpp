// The database of one test: in memory.
#pragma once

#include "database.hpp"

struct TestDatabase {
  Database database{DatabaseOptions()};
};
