// Helpers of the tests that read JSON.
#pragma once

#include <string>
#include <string_view>

#include <tern/json/read.hpp>

namespace tern::json {

// The problems of a document that is JSON but no T, or what went otherwise.
template <class T>
std::string problems_of(std::string_view text, const Limits& limits = {}) {
  const auto result = read<T>(text, limits);
  if (result) return "(no problem)";
  return (result.error().kind == ErrorKind::Syntax ? "syntax: " : "") + result.error().to_string();
}

}  // namespace tern::json
