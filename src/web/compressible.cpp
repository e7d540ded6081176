#include "web/compressible.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>

namespace tern::web {
namespace {

// Beside text/*, and everything with one of the suffixes below.
constexpr std::string_view compressible_types[] = {
    "application/cbor",
    "application/ecmascript",
    "application/graphql",
    "application/javascript",
    "application/json",
    "application/json-seq",
    "application/jsonl",
    "application/msgpack",
    "application/protobuf",
    "application/rtf",
    "application/sql",
    "application/toml",
    "application/vnd.apple.mpegurl",
    "application/vnd.ms-fontobject",
    "application/wasm",
    "application/x-javascript",
    "application/x-ndjson",
    "application/x-protobuf",
    "application/x-sh",
    "application/x-tar",
    "application/x-yaml",
    "application/xml",
    "application/xml-dtd",
    "application/yaml",
    "font/collection",
    "font/otf",
    "font/ttf",
    "image/bmp",
    "image/vnd.microsoft.icon",
    "image/x-icon",
};
constexpr std::string_view suffixes[] = {"+json", "+xml", "+yaml", "+cbor"};  // RFC 6839, section 3

bool has_prefix(std::string_view type, std::string_view prefix) noexcept {
  return base::equals_ignoring_case(type.substr(0, prefix.size()), prefix);
}

bool has_suffix(std::string_view type, std::string_view suffix) noexcept {
  return type.size() > suffix.size() && base::equals_ignoring_case(type.substr(type.size() - suffix.size()), suffix);
}

bool matches(std::string_view type, std::string_view range) noexcept {
  if (range.ends_with("/*")) return has_prefix(type, range.substr(0, range.size() - 1));
  return base::equals_ignoring_case(type, range);
}

}  // namespace

bool is_compressible(std::string_view type, std::span<const std::string> more) noexcept {
  type = base::trim(type.substr(0, type.find(';')));
  return has_prefix(type, "text/") ||
         std::ranges::any_of(suffixes, [type](std::string_view suffix) { return has_suffix(type, suffix); }) ||
         std::ranges::any_of(compressible_types,
                             [type](std::string_view one) { return base::equals_ignoring_case(type, one); }) ||
         std::ranges::any_of(more, [type](const std::string& range) { return matches(type, range); });
}

}  // namespace tern::web
