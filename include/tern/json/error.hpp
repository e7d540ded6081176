// Faults of a JSON document, and limits on reading it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tern::json {

enum class ErrorKind : std::uint8_t {
  Syntax,   // the text is not one JSON document (RFC 8259), or is nested too deeply; there is exactly one problem
  Content,  // it is JSON, but not of the requested type; every invalid member is a problem
};

// `path` is a JSON pointer (RFC 6901), empty for the whole document. Names of more than 256 bytes are cut, with an
// ellipsis.
struct Problem {
  std::string path;
  std::string message;
  // For programs. What is no T: "type", "missing", "unknown", "range" (beyond the C++ type), "one_of" (no enumerator),
  // "duplicate", "items", "alternative" (of a variant), "invalid" (by a JsonCodec). A rule: its name in
  // <tern/rules.hpp>, such as "min_length", or the code of a check().
  std::string code = {};
  std::string expected = {};  // what the rule says, as JSON text: 200, "email", ["a","b"]; empty: nothing more to say

  friend bool operator==(const Problem&, const Problem&) = default;
};

struct Error {
  ErrorKind kind = ErrorKind::Content;
  std::vector<Problem> problems;

  // "/items/3/price: expected number; /name: missing"
  std::string to_string() const;
};

struct Limits {
  std::size_t depth = 64;     // arrays and objects inside each other: deeper is a syntax error. At most 1000.
  std::size_t problems = 32;  // reading stops once this many problems are known; at least one is always reported
  bool deny_unknown = false;  // a member that its struct does not have is a problem, not only where JsonOptions says so
  // In a request, members with the rule read_only() are not taken. Elsewhere, those with write_only() may be missing.
  bool is_request = false;
};

}  // namespace tern::json
