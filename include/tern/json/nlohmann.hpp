// An adapter for nlohmann::json (nlohmann/json.hpp, which is not part of Tern), to be included where it is wanted:
// handlers may then take tern::Json<nlohmann::json> and return nlohmann::json, and structs may have members of it.
//
// The text is read and written by Tern, so that all its rules hold: depth is limited, UTF-8 is checked, a duplicate
// member is an error. Nothing throws but std::bad_alloc. As nlohmann::json, content takes up to some thirty times the
// memory that it took as text ("[[],[],…"): lower Limits::body where strangers send it.
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

  // What has no form in JSON (binary, discarded) is written as null, as NaN is.
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

  // As nlohmann's parser does it: what is negative is signed, everything else unsigned.
  static void read_integer(json::Reader& reader, T& out) {
    std::string text;
    if (reader.raw(text) && text.starts_with('-')) return read_as<std::int64_t>(reader, out);
    read_as<std::uint64_t>(reader, out);
  }
};

}  // namespace tern
