// The routes of @NAME@: main.cpp serves them, and the tests send requests to them.
#pragma once

#include "database.hpp"

#include <tern/tern.hpp>

void add_routes(tern::App& app, const Database& database);
