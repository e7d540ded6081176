// The settings of a struct, each with its names outside: the members of nested structs, and optional ones, by their
// path. Elements of lists and maps have none.
#pragma once

#include <tern/config/type.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tern::configuration {

struct Leaf {
  std::string path;      // "limits.max_connections"
  std::string variable;  // "SHOP_LIMITS_MAX_CONNECTIONS"
  std::string flag;      // "limits.max-connections"
  const Type* type = nullptr;
  const Member* member = nullptr;

  // The type without Optional around it.
  const Type& value_type() const;
  bool is_hidden() const { return member->is_hidden; }
  // Whether the environment and the command line can set it: a scalar, or a list of scalars.
  bool is_settable() const;
  // Whether it can be read from a file that a variable or a flag names.
  bool is_from_file() const { return is_hidden() || value_type().kind == Kind::Text; }
};

// Throws SetupError if two of them have the same variable or flag, or a flag is one of Tern's own.
std::vector<Leaf> leaves_of(const Type& type, std::string_view prefix);

bool is_scalar(const Type& type);
// "limits" and "max_connections" to "limits.max_connections".
std::string joined(std::string_view path, std::string_view name);

// That of `names` which is most like `name`; empty if none is. By the smallest number of characters that are added,
// left out, replaced or swapped: at most a third of the longer of both.
std::string nearest(std::string_view name, const std::vector<std::string>& names);
// ", did you mean `port`?", or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names);

}  // namespace tern::configuration
