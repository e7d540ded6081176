// tern routes and tern openapi: what a program says of itself.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace tern::command {

// That a program has for its answer.
inline constexpr std::chrono::milliseconds inspection_time = std::chrono::seconds(30);

struct ProgramRoute {
  std::string method;
  std::string pattern;
  std::string name;
  std::string place;  // "host shop.example" or "listener admin"; empty: the main table
};

// Runs `command`, a program with App::run(), with its arguments: it prints its routes instead of serving. Throws
// std::runtime_error if it does not within the time.
std::vector<ProgramRoute> routes_of(const std::vector<std::string>& command,
                                    std::chrono::milliseconds time = inspection_time);
// In columns, in the order of the program.
std::string as_table(const std::vector<ProgramRoute>& routes);

// Runs `command` on a socket of its own, asks for `path`, and stops it. Throws std::runtime_error if the answer is not
// a 200 with JSON within the time.
std::string content_of(const std::vector<std::string>& command, std::string_view path,
                       std::chrono::milliseconds time = inspection_time);

}  // namespace tern::command
