// Parses text to a validated DOM.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

#include <tern/json/error.hpp>

#include "json/read_state.hpp"

namespace tern::json::detail {

// Memory that a thread reuses for the next document.
struct Workspace {
  simdjson::dom::parser parser;
  std::vector<std::string_view> names;
};

// Parses `text`; false after noting the syntax error. Numbers beyond the range of double become 0, and their problems
// are noted; the walk over the document also notes duplicate names and refuses what is nested too deeply.
bool parse(Workspace& workspace, std::string_view text, ReadState& state, simdjson::dom::element& root);

// The text with every number that is right but that simdjson cannot represent replaced: an integer beyond 64 bits by
// one with an exponent, which it reads as a double; a number beyond double by 0, its ordinal among the document's
// numbers being added to `too_large`.
std::string tame_numbers(std::string_view text, std::vector<std::size_t>& too_large);

// Notes every duplicate name, and the numbers whose ordinals are listed. False, after noting the one problem that a
// syntax error has, when an array or object lies deeper than the limit.
// `names` is scratch space.
bool check(simdjson::dom::element root, const std::vector<std::size_t>& too_large, ReadState& state,
           std::vector<std::string_view>& names);

}  // namespace tern::json::detail
