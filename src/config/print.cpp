#include "config/print.hpp"

#include "config/visit.hpp"

#include <algorithm>

namespace tern::configuration {
namespace {

bool is_bare(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

void append_key(std::string_view key, std::string& out) {
  if (is_bare(key)) {
    out.append(key);
  } else {
    json::write(out, key);  // the escapes of TOML include those of JSON
  }
}

// "postgresql://shop:secret@db/shop" without the password.
std::string without_password(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return std::string(text);
  const std::size_t begin = scheme + 3;
  const std::string_view authority = text.substr(begin, text.find_first_of("/?#", begin) - begin);
  const std::size_t at = authority.rfind('@');
  const std::size_t colon = authority.find(':');
  if (at == std::string_view::npos || colon == std::string_view::npos || colon > at) return std::string(text);
  return std::string(text.substr(0, begin + colon + 1)) + "(hidden)" + std::string(text.substr(begin + at));
}

void append_value(const Type& type, const void* value, bool hidden, std::string& out);

void append_struct(const Type& type, const void* object, bool hidden, std::string& out) {
  std::vector<void*> addresses(type.members.size());
  if (!addresses.empty()) type.addresses(const_cast<void*>(object), addresses.data());
  out.append("{");
  for (std::size_t i = 0; i < type.members.size(); ++i) {
    out.append(i == 0 ? " " : ", ");
    append_key(type.members[i].name, out);
    out.append(" = ");
    append_value(type.members[i].type(), addresses[i], hidden || type.members[i].is_hidden, out);
  }
  out.append(" }");
}

void append_elements(const Type& type, const void* container, bool hidden, std::string& out) {
  const bool is_map = type.kind == Kind::Map;
  bool is_first = true;
  out.append(is_map ? "{" : "[");
  visit_elements(type, container, [&](std::string_view key, const void* element) {
    out.append(is_first ? (is_map ? " " : "") : ", ");
    is_first = false;
    if (is_map) append_key(key, out);
    if (is_map) out.append(" = ");
    append_value(type.element(), element, hidden, out);
  });
  out.append(is_map ? (is_first ? "}" : " }") : "]");
}

// `hidden` is for show; the values that are compared are those.
void append_value(const Type& type, const void* value, bool hidden, std::string& out) {
  switch (type.kind) {
    case Kind::Struct: return append_struct(type, value, hidden, out);
    case Kind::List:
    case Kind::Map: return append_elements(type, value, hidden, out);
    case Kind::Optional:
      return visit_elements(type, value, [&](std::string_view, const void* element) {
        append_value(type.element(), element, hidden, out);
      });
    case Kind::Other: return type.write_json(value, out);
    default: break;
  }
  std::string text;
  type.print(value, text);
  const bool is_number = type.kind == Kind::Boolean || type.kind == Kind::Integer || type.kind == Kind::Fraction ||
                         (type.kind == Kind::Size && text.find(' ') == std::string::npos);
  if (is_number) {
    out.append(text);
  } else {
    json::write(out, text);
  }
}

// The value of a member by its path; null where an optional struct around it is empty.
const void* value_at(const Type& type, const void* object, std::string_view path, const Type*& found) {
  const std::string_view name = path.substr(0, path.find('.'));
  std::vector<void*> addresses(type.members.size());
  if (!addresses.empty()) type.addresses(const_cast<void*>(object), addresses.data());
  for (std::size_t i = 0; i < type.members.size(); ++i) {
    if (type.members[i].name != name) continue;
    found = &type.members[i].type();
    if (name.size() == path.size()) return addresses[i];
    const void* inner = addresses[i];
    if (found->kind == Kind::Optional) {
      inner = nullptr;
      visit_elements(*found, addresses[i], [&inner](std::string_view, const void* element) { inner = element; });
      found = &found->element();
    }
    return inner == nullptr ? nullptr : value_at(*found, inner, path.substr(name.size() + 1), found);
  }
  return nullptr;
}

std::string_view table_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string shown(const Setting& setting) {
  if (setting.is_hidden) return setting.value == "\"\"" ? setting.value : "\"(hidden)\"";
  return without_password(setting.value);
}

// A table's own settings stand before the tables in it.
std::vector<const Setting*> by_table(const std::vector<Setting>& settings) {
  std::vector<const Setting*> sorted;
  for (const Setting& setting : settings) sorted.push_back(&setting);
  // By the name of the table, and in it by the order of the struct, which is that of the addresses.
  std::ranges::sort(sorted, {}, [](const Setting* each) { return std::pair(table_of(each->path), each); });
  return sorted;
}

}  // namespace

std::vector<Setting> settings_of(const std::vector<Leaf>& leaves, const Type& type, const void* object,
                                 const Binder& binder) {
  std::vector<Setting> settings;
  for (const Leaf& leaf : leaves) {
    const Type* found = nullptr;
    const void* const value = value_at(type, object, leaf.path, found);
    Setting setting{leaf.path, {}, binder.source_of(leaf.path), leaf.is_hidden()};
    if (value != nullptr) append_value(*found, value, false, setting.value);
    settings.push_back(std::move(setting));
  }
  return settings;
}

std::string effective(const std::vector<Setting>& settings) {
  constexpr std::size_t column = 40;
  std::string out;
  std::string_view table;
  for (const Setting* setting : by_table(settings)) {
    if (const std::string_view own = table_of(setting->path); own != table) {
      out.append("\n[").append(own).append("]\n");
      table = own;
    }
    std::string line;
    append_key(std::string_view(setting->path).substr(table.empty() ? 0 : table.size() + 1), line);
    if (setting->value.empty()) {
      line.insert(0, "# ").append(" is not set");
    } else {
      line.append(" = ").append(shown(*setting));
    }
    line.resize(std::max(line.size() + 1, column), ' ');
    out.append(line).append("# ").append(setting->origin).append("\n");
  }
  return out;
}

std::string help(const ConfigOptions& options, const std::vector<Leaf>& leaves, const std::vector<Setting>& defaults) {
  std::string out = "Usage: " + options.program + " [OPTION]...\n";
  if (!options.description.empty()) out += "\n" + options.description + "\n";
  out += "\n  --help\n        Print this help and exit.\n";
  if (!options.version.empty()) out += "  --version\n        Print the version and exit.\n";
  out +=
      "  --check\n        Print the configuration with the origin of each value, without secrets, and exit.\n"
      "  --config FILE\n        The configuration file (TOML). Otherwise " +
      options.prefix + "_CONFIG, or " + options.name + ".toml in the current folder.\n";
  std::string_view table;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Leaf& leaf = leaves[i];
    if (const std::string_view own = table_of(leaf.path); own != table) {
      table = own;
      out.append("\n").append(own.empty() ? std::string("Top level:\n") : "[" + std::string(own) + "]\n");
    } else if (i == 0) {
      out.append("\n");
    }
    const Type& value = leaf.value_type();
    const bool hidden = leaf.is_hidden();
    if (leaf.is_settable()) {
      out.append("  --").append(leaf.flag).append(hidden ? "-file FILE" : value.kind == Kind::Boolean ? "" : " VALUE");
    } else {
      out.append("  ").append(leaf.path).append(" (only in the file)");
    }
    out.append("\n        ");
    std::string text(leaf.member->description);
    if (!text.empty() && !text.ends_with('.')) text.push_back('.');
    if (value.kind == Kind::Enum) text += (text.empty() ? "" : " ") + ("One of " + value.expected().substr(7)) + ".";
    if (value.kind == Kind::List && leaf.is_settable()) text += text.empty() ? "May be repeated." : " May be repeated.";
    if (!defaults[i].value.empty() && defaults[i].value != "\"\"" && defaults[i].value != "[]" && !hidden) {
      text += (text.empty() ? "" : " ") + ("Default: " + defaults[i].value) + ".";
    }
    if (!leaf.member->may_be_missing) text += text.empty() ? "Required." : " Required.";
    if (leaf.is_settable()) {
      text += (text.empty() ? "" : " ") + ("Environment: " + leaf.variable) +
              (hidden ? ", " + leaf.variable + "_FILE" : "") + ".";
    }
    out.append(text).append("\n");
  }
  return out;
}

}  // namespace tern::configuration
