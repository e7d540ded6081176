// The routes of @NAME@: main.cpp serves them, and the tests send requests to them.
#pragma once

#include <tern/tern.hpp>

void add_routes(tern::App& app);
