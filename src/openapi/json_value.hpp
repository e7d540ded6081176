// Any JSON value as a tree, for the validator.
#pragma once

#include <tern/json/read.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tern::openapi {

struct JsonValue {
  json::Kinds kind = json::Kinds::Null;
  bool boolean = false;
  long double number = 0;  // exact for integers of 64 bits
  std::string text = {};
  std::vector<std::string> keys = {};  // of an object
  std::vector<JsonValue> items = {};   // elements, or the members' values

  // The member of that name; null if there is none, or this is no object.
  const JsonValue* find(std::string_view key) const {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == key) return &items[i];
    }
    return nullptr;
  }
  bool is(json::Kinds kinds) const { return (kind & kinds) != json::Kinds::None; }

  friend bool operator==(const JsonValue& a, const JsonValue& b);
};

}  // namespace tern::openapi

template <>
struct tern::JsonCodec<tern::openapi::JsonValue> {
  static void read(tern::json::Reader& reader, tern::openapi::JsonValue& value);
};
