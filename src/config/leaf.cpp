#include "config/leaf.hpp"

#include <tern/app/app.hpp>

#include <algorithm>
#include <map>

namespace tern::configuration {
namespace {

constexpr std::string_view own_flags[] = {"help", "version", "check", "config"};

std::string variable_of(std::string_view prefix, std::string_view path) {
  std::string name(prefix);
  name.push_back('_');
  for (const char c : path) {
    if (c >= 'a' && c <= 'z') {
      name.push_back(static_cast<char>(c - 'a' + 'A'));
    } else {
      name.push_back(c == '.' || c == '-' ? '_' : c);
    }
  }
  return name;
}

std::string flag_of(std::string_view path) {
  std::string flag(path);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

void flatten(const Type& type, const std::string& path, std::string_view prefix, std::vector<Leaf>& leaves) {
  for (const Member& member : type.members) {
    const std::string inner = joined(path, member.name);
    const Type& own = member.type();
    const Type& value = own.kind == Kind::Optional ? own.element() : own;
    if (value.kind == Kind::Struct) {
      flatten(value, inner, prefix, leaves);
    } else {
      leaves.push_back({inner, variable_of(prefix, inner), flag_of(inner), &own, &member});
    }
  }
}

}  // namespace

const Type& Leaf::value_type() const {
  return type->kind == Kind::Optional ? type->element() : *type;
}

bool Leaf::is_settable() const {
  const Type& value = value_type();
  return is_scalar(value) || value.kind == Kind::Other || (value.kind == Kind::List && is_scalar(value.element()));
}

bool is_scalar(const Type& type) {
  switch (type.kind) {
    case Kind::Optional:
    case Kind::List:
    case Kind::Map:
    case Kind::Struct:
    case Kind::Other: return false;
    default: return true;
  }
}

std::string joined(std::string_view path, std::string_view name) {
  std::string result(path);
  if (!result.empty()) result.push_back('.');
  return result.append(name);
}

std::vector<Leaf> leaves_of(const Type& type, std::string_view prefix) {
  std::vector<Leaf> leaves;
  flatten(type, {}, prefix, leaves);
  std::map<std::string, std::string> seen;
  for (const Leaf& leaf : leaves) {
    for (const std::string& name : {leaf.variable, "--" + leaf.flag}) {
      const auto [other, is_new] = seen.emplace(name, leaf.path);
      if (is_new) continue;
      throw SetupError("the settings '" + other->second + "' and '" + leaf.path + "' would both be " + name +
                       ": rename one of the members, or give it another name by tern::JsonNames");
    }
    if (std::ranges::count(own_flags, std::string_view(leaf.flag)) != 0) {
      throw SetupError("a setting cannot be named '" + leaf.path + "', since --" + leaf.flag + " has another meaning");
    }
  }
  return leaves;
}

namespace {

// The distance of Damerau and Levenshtein, in which a swap of neighbours is one change.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('.') + 1);  // npos + 1 is 0
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 100;
  if (name.size() > longest) return {};
  std::string best;
  std::size_t least = 0;
  for (const std::string& candidate : names) {
    const std::size_t most = std::max(name.size(), candidate.size()) / 3;
    const std::size_t changes = distance(name, candidate);
    if (changes > most || (!best.empty() && changes >= least)) continue;
    best = candidate;
    least = changes;
  }
  if (!best.empty()) return best;
  // In another table, under this very name.
  for (const std::string& candidate : names) {
    if (last_part(candidate) == last_part(name)) return candidate;
  }
  return {};
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names) {
  const std::string found = nearest(name, names);
  return found.empty() ? std::string() : ", did you mean `" + found + "`?";
}

}  // namespace tern::configuration
