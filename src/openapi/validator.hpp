// Validates JSON against a JSON Schema (2020-12), as far as documents made here use it.
#pragma once

#include "openapi/json_value.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace re2 {
class RE2;
}

namespace tern::openapi {

class Validator {
public:
  // `root` has the schemas that "$ref" names ("#/components/schemas/…"); it outlives the validator.
  explicit Validator(const JsonValue& root);
  ~Validator();
  Validator(const Validator&) = delete;
  Validator& operator=(const Validator&) = delete;

  // The first violation with its JSON pointer; empty if the value is valid.
  std::string violation(const JsonValue& schema, const JsonValue& value) { return check(schema, value, ""); }

private:
  std::string check(const JsonValue& schema, const JsonValue& value, const std::string& at);
  std::string check_kind(const JsonValue& schema, const JsonValue& value, const std::string& at) const;
  std::string check_combined(const JsonValue& schema, const JsonValue& value, const std::string& at);
  std::string check_number(const JsonValue& schema, const JsonValue& value, const std::string& at) const;
  std::string check_text(const JsonValue& schema, const JsonValue& value, const std::string& at);
  std::string check_array(const JsonValue& schema, const JsonValue& value, const std::string& at);
  std::string check_object(const JsonValue& schema, const JsonValue& value, const std::string& at);
  const JsonValue* resolve(std::string_view reference) const;
  const re2::RE2& compiled(const std::string& pattern);

  const JsonValue& root_;
  std::unordered_map<std::string, std::unique_ptr<re2::RE2>> patterns_;
};

}  // namespace tern::openapi
