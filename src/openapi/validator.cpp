#include "openapi/validator.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tern::openapi {

using json::Kinds;

bool operator==(const JsonValue& a, const JsonValue& b) {
  if (a.is(Kinds::Number) && b.is(Kinds::Number)) return a.number == b.number;
  if (a.kind != b.kind || a.boolean != b.boolean || a.text != b.text || a.items.size() != b.items.size()) return false;
  if (a.kind != Kinds::Object) return a.items == b.items;
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    const JsonValue* const other = b.find(a.keys[i]);
    if (other == nullptr || !(*other == a.items[i])) return false;
  }
  return true;
}

namespace {

bool has_type(const JsonValue& value, std::string_view type) {
  if (type == "null") return value.is(Kinds::Null);
  if (type == "boolean") return value.is(Kinds::Boolean);
  if (type == "number") return value.is(Kinds::Number);
  if (type == "integer") return value.is(Kinds::Number) && value.number == std::floor(value.number);
  if (type == "string") return value.is(Kinds::String);
  if (type == "array") return value.is(Kinds::Array);
  return type == "object" && value.is(Kinds::Object);
}

std::string fault(const std::string& at, std::string_view what) {
  return "'" + at + "': " + std::string(what);
}

std::string escaped(std::string_view key) {
  std::string pointer = "/";
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

std::optional<long double> limit(const JsonValue& schema, std::string_view keyword) {
  const JsonValue* const found = schema.find(keyword);
  if (found == nullptr) return std::nullopt;
  return found->number;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// The violation of a number of things.
std::string check_count(const JsonValue& schema, std::size_t count, std::string_view min, std::string_view max,
                        const std::string& at) {
  const auto number = static_cast<long double>(count);
  if (const auto least = limit(schema, min); least && number < *least) return fault(at, "violates " + std::string(min));
  if (const auto most = limit(schema, max); most && number > *most) return fault(at, "violates " + std::string(max));
  return {};
}

}  // namespace

Validator::Validator(const JsonValue& root) : root_(root) {}
Validator::~Validator() = default;

const JsonValue* Validator::resolve(std::string_view reference) const {
  if (!reference.starts_with("#/")) return nullptr;
  reference.remove_prefix(2);
  const JsonValue* at = &root_;
  while (at != nullptr && !reference.empty()) {
    const std::size_t end = std::min(reference.find('/'), reference.size());
    at = at->find(reference.substr(0, end));
    reference.remove_prefix(std::min(end + 1, reference.size()));
  }
  return at;
}

const re2::RE2& Validator::compiled(const std::string& pattern) {
  std::unique_ptr<re2::RE2>& found = patterns_[pattern];
  if (!found) found = std::make_unique<re2::RE2>(pattern, re2::RE2::Quiet);
  return *found;
}

std::string Validator::check(const JsonValue& schema, const JsonValue& value, const std::string& at) {
  if (schema.is(Kinds::Boolean)) return schema.boolean ? std::string() : fault(at, "is not allowed");
  if (const JsonValue* const reference = schema.find("$ref")) {
    const JsonValue* const target = resolve(reference->text);
    if (target == nullptr) return fault(at, "the document does not have " + reference->text);
    if (std::string why = check(*target, value, at); !why.empty()) return why;
  }
  if (std::string why = check_kind(schema, value, at); !why.empty()) return why;
  if (std::string why = check_combined(schema, value, at); !why.empty()) return why;
  if (value.is(Kinds::Number)) return check_number(schema, value, at);
  if (value.is(Kinds::String)) return check_text(schema, value, at);
  if (value.is(Kinds::Array)) return check_array(schema, value, at);
  if (value.is(Kinds::Object)) return check_object(schema, value, at);
  return {};
}

std::string Validator::check_kind(const JsonValue& schema, const JsonValue& value, const std::string& at) const {
  if (const JsonValue* const type = schema.find("type")) {
    const bool fits =
        type->is(Kinds::String)
            ? has_type(value, type->text)
            : std::ranges::any_of(type->items, [&](const JsonValue& each) { return has_type(value, each.text); });
    if (!fits) return fault(at, "is of another type than the contract's");
  }
  if (const JsonValue* const allowed = schema.find("enum")) {
    if (std::ranges::find(allowed->items, value) == allowed->items.end()) {
      return fault(at, "is none of the values of the contract");
    }
  }
  if (const JsonValue* const constant = schema.find("const"); constant != nullptr && !(*constant == value)) {
    return fault(at, "is not the constant of the contract");
  }
  return {};
}

std::string Validator::check_combined(const JsonValue& schema, const JsonValue& value, const std::string& at) {
  if (const JsonValue* const all = schema.find("allOf")) {
    for (const JsonValue& each : all->items) {
      if (std::string why = check(each, value, at); !why.empty()) return why;
    }
  }
  const auto matches = [&](const JsonValue& list) {
    return std::ranges::count_if(list.items, [&](const JsonValue& each) { return check(each, value, at).empty(); });
  };
  if (const JsonValue* const any = schema.find("anyOf"); any != nullptr && matches(*any) == 0) {
    return fault(at, "matches no schema of anyOf");
  }
  if (const JsonValue* const one = schema.find("oneOf")) {
    const auto count = matches(*one);
    if (count != 1) return fault(at, "matches " + std::to_string(count) + " schemas of oneOf");
  }
  return {};
}

std::string Validator::check_number(const JsonValue& schema, const JsonValue& value, const std::string& at) const {
  const long double number = value.number;
  if (const auto min = limit(schema, "minimum"); min && number < *min) return fault(at, "is below the minimum");
  if (const auto max = limit(schema, "maximum"); max && number > *max) return fault(at, "is above the maximum");
  if (const auto min = limit(schema, "exclusiveMinimum"); min && number <= *min) {
    return fault(at, "is not above the exclusive minimum");
  }
  if (const auto max = limit(schema, "exclusiveMaximum"); max && number >= *max) {
    return fault(at, "is not below the exclusive maximum");
  }
  if (const auto divisor = limit(schema, "multipleOf"); divisor && *divisor > 0) {
    const long double quotient = number / *divisor;  // 19.99 is a multiple of 0.01, which no binary number is
    if (std::abs(quotient - std::round(quotient)) > 1e-9L * std::max(1.0L, std::abs(quotient))) {
      return fault(at, "is not a multiple of the divisor");
    }
  }
  return {};
}

std::string Validator::check_text(const JsonValue& schema, const JsonValue& value, const std::string& at) {
  if (std::string why = check_count(schema, characters(value.text), "minLength", "maxLength", at); !why.empty()) {
    return why;
  }
  if (const JsonValue* const pattern = schema.find("pattern")) {
    const re2::RE2& expression = compiled(pattern->text);
    if (expression.ok() && !re2::RE2::PartialMatch(value.text, expression)) {
      return fault(at, "does not match " + pattern->text);
    }
  }
  return {};
}

std::string Validator::check_array(const JsonValue& schema, const JsonValue& value, const std::string& at) {
  if (std::string why = check_count(schema, value.items.size(), "minItems", "maxItems", at); !why.empty()) return why;
  const JsonValue* const first = schema.find("prefixItems");
  const JsonValue* const rest = schema.find("items");
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const JsonValue* const own = first != nullptr && i < first->items.size() ? &first->items[i] : rest;
    if (own == nullptr) continue;
    if (std::string why = check(*own, value.items[i], at + "/" + std::to_string(i)); !why.empty()) return why;
  }
  if (const JsonValue* const unique = schema.find("uniqueItems"); unique != nullptr && unique->boolean) {
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (value.items[i] == value.items[j]) return fault(at, "has equal elements");
      }
    }
  }
  return {};
}

std::string Validator::check_object(const JsonValue& schema, const JsonValue& value, const std::string& at) {
  if (std::string why = check_count(schema, value.keys.size(), "minProperties", "maxProperties", at); !why.empty()) {
    return why;
  }
  if (const JsonValue* const required = schema.find("required")) {
    for (const JsonValue& name : required->items) {
      if (value.find(name.text) == nullptr) return fault(at, "has no member '" + name.text + "'");
    }
  }
  const JsonValue* const properties = schema.find("properties");
  const JsonValue* const names = schema.find("propertyNames");
  const JsonValue* const others = schema.find("additionalProperties");
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    const std::string& key = value.keys[i];
    const std::string inner = at + escaped(key);
    if (names != nullptr) {
      JsonValue name;
      name.kind = Kinds::String;
      name.text = key;
      if (std::string why = check(*names, name, inner); !why.empty()) return why;
    }
    const JsonValue* own = properties == nullptr ? nullptr : properties->find(key);
    if (own == nullptr) own = others;
    if (own == nullptr) continue;
    if (std::string why = check(*own, value.items[i], inner); !why.empty()) return why;
  }
  return {};
}

}  // namespace tern::openapi

void tern::JsonCodec<tern::openapi::JsonValue>::read(tern::json::Reader& reader, tern::openapi::JsonValue& value) {
  using tern::json::Kinds;
  value.kind = reader.kind();
  switch (value.kind) {
    case Kinds::Boolean: reader.boolean(value.boolean); break;
    case Kinds::Integer: {
      std::string text;
      reader.raw(text);
      std::int64_t negative = 0;
      std::uint64_t positive = 0;
      if (text.starts_with('-')) {
        reader.integer(negative);
        value.number = static_cast<long double>(negative);
      } else {
        reader.unsigned_integer(positive);
        value.number = static_cast<long double>(positive);
      }
      break;
    }
    case Kinds::Fraction: {
      double number = 0;
      reader.number(number);
      value.number = number;
      break;
    }
    case Kinds::String: reader.text(value.text); break;
    case Kinds::Array:
      reader.each_element([&value](tern::json::Reader& element) { element.value(value.items.emplace_back()); });
      break;
    case Kinds::Object:
      reader.each_member([&value](std::string_view key, tern::json::Reader& member) {
        value.keys.emplace_back(key);
        member.value(value.items.emplace_back());
      });
      break;
    default: break;
  }
}
