// Fuzzes what static files read from clients: ranges, dates, tags and paths, and what they write for names of files.
// Ranges must lie within the content, fields must be valid, and no name may break out of the listing.
// script/fuzz runs it.
#include "web/byte_ranges.hpp"
#include "web/content_disposition.hpp"
#include "web/file_rules.hpp"
#include "web/file_service.hpp"
#include "web/folder.hpp"
#include "web/http_date.hpp"
#include "web/listing.hpp"
#include "web/preconditions.hpp"

#include <tern/base/utf8.hpp>
#include <tern/http/memory_exchange.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

constexpr std::int64_t now = 1'800'000'000;

void expect(bool holds) {
  if (!holds) std::abort();
}

void check_ranges(std::string_view text, std::uint64_t size) {
  const auto ranges = tern::web::select_ranges(text, size);
  if (!ranges) return;
  expect(ranges->size() <= tern::web::max_byte_ranges);
  std::uint64_t free = 0;
  for (const tern::web::ByteRange& range : *ranges) {
    expect(range.length != 0 && range.first >= free);
    expect(range.first < size && range.length <= size - range.first);
    free = range.first + range.length + 1;
  }
}

void check_conditions(const std::string& text) {
  for (const char* field : {"if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range"}) {
    tern::MemoryExchange exchange(tern::Method::Get, "/", {{field, text}});
    const tern::web::Validators validators{"\"a-1\"", 1000};
    tern::web::check_preconditions(exchange.request(), validators, now);
    tern::web::range_applies(exchange.request(), validators, now);
  }
}

void check_names(const std::string& text) {
  tern::Fields fields;
  fields.set("content-disposition", tern::web::attachment(text));  // throws if it is not valid
  const std::string plain = tern::web::render_listing("x", {{"x", false, 1, 0}});
  const std::string named = tern::web::render_listing("x", {{text, false, 1, 0}});
  const std::string titled = tern::web::render_listing("x" + text, {{"x", false, 1, 0}});
  expect(tern::base::is_utf8(named) && tern::base::is_utf8(titled));
  // The row of a name that is not UTF-8 has no link.
  const auto tags = std::ranges::count(plain, '<');
  expect(std::ranges::count(named, '<') == tags - (tern::base::is_utf8(text) ? 0 : 2));
  expect(std::ranges::count(titled, '<') == tags);
}

void check_paths(std::string_view text) {
  if (!tern::web::is_visible_path(text)) return;
  expect(!text.starts_with('/') && !text.starts_with("..") && !text.contains("/..") && !text.contains("//"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{100}, ~std::uint64_t{0}}) {
    check_ranges(text, length);
    check_ranges("bytes=" + text, length);
  }
  tern::web::parse_http_date(text, now);
  check_conditions(text);
  check_names(text);
  check_paths(text);
  tern::web::has_content_hash(text);
  const std::size_t half = size / 2;
  tern::web::matches_pattern(std::string_view(text).substr(0, half), std::string_view(text).substr(half));
  return 0;
}
