// Documents as values, for tests.
#pragma once

#include "openapi/json_value.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace tern {

inline openapi::JsonValue parse(const std::string& text) {
  auto value = json::read<openapi::JsonValue>(text);
  EXPECT_TRUE(value) << text;
  return value ? std::move(*value) : openapi::JsonValue();
}

// The value at a path of keys; fails the test if there is none.
inline openapi::JsonValue at(const openapi::JsonValue& document, std::initializer_list<std::string_view> keys) {
  const openapi::JsonValue* value = &document;
  for (const std::string_view key : keys) {
    value = value->find(key);
    if (value == nullptr) {
      ADD_FAILURE() << "no member " << key;
      return {};
    }
  }
  return *value;
}

}  // namespace tern
