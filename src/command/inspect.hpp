// tern routes and tern openapi: what a program says of itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tern::command {

struct ProgramRoute {
  std::string method;
  std::string pattern;
  std::string name;
  std::string place;  // "host shop.example" or "listener admin"; empty: the main table
};

// Runs `command`, a program with App::run(), with its arguments: it prints its routes instead of serving. Throws
// std::runtime_error if it does not.
std::vector<ProgramRoute> routes_of(const std::vector<std::string>& command);
// In columns, in the order of the program.
std::string as_table(const std::vector<ProgramRoute>& routes);

// Runs `command` on a socket of its own, asks for `path`, and stops it. Throws std::runtime_error if the answer is not
// a 200.
std::string content_of(const std::vector<std::string>& command, std::string_view path);

}  // namespace tern::command
