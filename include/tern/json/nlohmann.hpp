// An adapter for nlohmann::json (nlohmann/json.hpp, which is not part of Tern). Include it for handlers that take
// tern::Json<nlohmann::json> or return nlohmann::json, and for structs with such members.
//
// Tern reads and writes the text, so that all its rules apply: limited depth, valid UTF-8, no duplicate members. Throws
// only std::bad_alloc. nlohmann::json needs up to about thirty times the memory of the text ("[[],[],…"): lower
// Limits::body for untrusted clients.
#pragma once

#include <tern/json/json.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tern {

// Every nlohmann::basic_json, so nlohmann::ordered_json too.
template <class T>
  requires nlohmann::detail::is_basic_json<T>::value
struct JsonCodec<T> {
  static constexpr json::Kinds kinds = json::Kinds::Null | json::Kinds::Boolean | json::Kinds::Number |
                                       json::Kinds::String | json::Kinds::Array | json::Kinds::Object;

  static void read(json::Reader& reader, T& out) {
    switch (reader.kind()) {
      case json::Kinds::Boolean: return read_as<typename T::boolean_t>(reader, out);
      case json::Kinds::Integer: return read_integer(reader, out);
      case json::Kinds::Fraction: return read_as<double>(reader, out);
      case json::Kinds::String: return read_as<std::string>(reader, out);
      case json::Kinds::Array:
        out = T::array();
        reader.each_element([&out](json::Reader& element) {
          out.push_back(nullptr);
          read(element, out.back());
        });
        return;
      case json::Kinds::Object:
        out = T::object();
        reader.each_member(
            [&out](std::string_view name, json::Reader& member) { read(member, out[std::string(name)]); });
        return;
      default: out = nullptr;
    }
  }

  // Types without a JSON form (binary, discarded) are written as null, as NaN is.
  static void write(json::Writer& writer, const T& value) {
    switch (value.type()) {
      case T::value_t::boolean: return writer.boolean(value.template get<bool>());
      case T::value_t::number_integer: return writer.integer(value.template get<std::int64_t>());
      case T::value_t::number_unsigned: return writer.unsigned_integer(value.template get<std::uint64_t>());
      case T::value_t::number_float: return writer.number(value.template get<double>());
      case T::value_t::string: return writer.text(value.template get_ref<const typename T::string_t&>());
      case T::value_t::array:
        writer.begin_array();
        for (const T& element : value) write(writer, element);
        return writer.end_array();
      case T::value_t::object:
        writer.begin_object();
        for (const auto& [name, member] : value.template get_ref<const typename T::object_t&>()) {
          writer.key(name);
          write(writer, member);
        }
        return writer.end_object();
      default: writer.null();
    }
  }

private:
  template <class Value>
  static void read_as(json::Reader& reader, T& out) {
    Value value{};
    if (reader.value(value)) out = std::move(value);
  }

  // As in nlohmann's parser: negative numbers are signed, all others unsigned.
  static void read_integer(json::Reader& reader, T& out) {
    std::string text;
    if (reader.raw(text) && text.starts_with('-')) return read_as<std::int64_t>(reader, out);
    read_as<std::uint64_t>(reader, out);
  }
};

}  // namespace tern
