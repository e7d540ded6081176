#include <tern/json/reader.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <tern/json/enums.hpp>
#include <tern/json/read.hpp>

#include "json/read_state.hpp"

namespace tern::json {

namespace dom = simdjson::dom;
using detail::element_of;
using detail::is_whole;
using detail::no_index;
using detail::node_of;

namespace {

Kinds kind_of(dom::element element) {
  switch (element.type()) {
    case dom::element_type::ARRAY: return Kinds::Array;
    case dom::element_type::OBJECT: return Kinds::Object;
    case dom::element_type::DOUBLE: return Kinds::Fraction;
    case dom::element_type::STRING: return Kinds::String;
    case dom::element_type::BOOL: return Kinds::Boolean;
    case dom::element_type::NULL_VALUE: return Kinds::Null;
    default: return Kinds::Integer;  // INT64, UINT64, and BIGINT of simdjson 4
  }
}

std::string out_of_range(const std::string& min, const std::string& max) {
  return "integer out of range (" + min + " to " + max + ")";
}

// Whether a number that was written with fraction or exponent, or beyond 64 bits, is too large to be an integer anyway.
bool is_huge(dom::element element) {
  double value = 0;
  return element.get_double().get(value) == simdjson::SUCCESS && std::abs(value) >= 9223372036854775808.0;
}

}  // namespace

bool detail::is_whole(dom::element element, std::int64_t& out) {
  constexpr double limit = 9007199254740992.0;
  double value = 0;
  if (!element.is_double() || element.get_double().get(value) != simdjson::SUCCESS) return false;
  if (!(std::abs(value) < limit) || std::trunc(value) != value) return false;
  out = static_cast<std::int64_t>(value);
  return true;
}

Kinds Reader::kind() const {
  return kind_of(element_of(node_));
}

bool Reader::boolean(bool& out) {
  if (element_of(node_).get_bool().get(out) == simdjson::SUCCESS) return true;
  expected(Kinds::Boolean);
  return false;
}

bool Reader::integer(std::int64_t& out, std::int64_t min, std::int64_t max) {
  const dom::element element = element_of(node_);
  std::int64_t value = 0;
  const bool is_integer = element.get_int64().get(value) == simdjson::SUCCESS || is_whole(element, value);
  if (is_integer && value >= min && value <= max) {
    out = value;
  } else if (is_integer || is(Kinds::Integer) || is_huge(element)) {
    fail(out_of_range(std::to_string(min), std::to_string(max)), "range");
    return false;
  } else {
    expected(Kinds::Integer);
    return false;
  }
  return true;
}

bool Reader::unsigned_integer(std::uint64_t& out, std::uint64_t max) {
  const dom::element element = element_of(node_);
  std::uint64_t value = 0;
  std::int64_t whole = 0;
  bool is_integer = element.get_uint64().get(value) == simdjson::SUCCESS;
  const bool has_fraction = !is_integer && is_whole(element, whole);
  if (has_fraction && whole >= 0) {
    value = static_cast<std::uint64_t>(whole);
    is_integer = true;
  }
  if (is_integer && value <= max) {
    out = value;
  } else if (has_fraction || is(Kinds::Integer) || is_huge(element)) {
    fail(out_of_range("0", std::to_string(max)), "range");
    return false;
  } else {
    expected(Kinds::Integer);
    return false;
  }
  return true;
}

bool Reader::number(double& out) {
  if (element_of(node_).get_double().get(out) == simdjson::SUCCESS) return true;
  expected(Kinds::Number);
  return false;
}

bool Reader::number(float& out) {
  double wide = 0;
  if (!number(wide)) return false;
  // The largest float is written as 3.4028235e+38, which is above it as a double, and rounds to it.
  constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
  constexpr double rounds_to_infinity = 0x1.ffffffp127;
  if (std::abs(wide) >= rounds_to_infinity) {
    fail("number out of range", "range");
    return false;
  }
  out = static_cast<float>(std::clamp(wide, -most, most));
  return true;
}

bool Reader::text(std::string_view& out) {
  if (element_of(node_).get_string().get(out) == simdjson::SUCCESS) return true;
  expected(Kinds::String);
  return false;
}

bool Reader::text(std::string& out) {
  std::string_view view;
  if (!text(view)) return false;
  out.assign(view);
  return true;
}

bool Reader::elements(void* context, void (*f)(void*, Reader&)) {
  dom::array array;
  if (element_of(node_).get_array().get(array) != simdjson::SUCCESS) {
    expected(Kinds::Array);
    return false;
  }
  const std::size_t before = problem_count();
  std::size_t index = 0;
  for (const dom::element element : array) {
    if (state_.full()) break;
    Reader reader(state_, this, {}, index++, node_of(element));
    f(context, reader);
  }
  return problem_count() == before;
}

bool Reader::members(void* context, void (*f)(void*, std::string_view, Reader&)) {
  dom::object object;
  if (element_of(node_).get_object().get(object) != simdjson::SUCCESS) {
    expected(Kinds::Object);
    return false;
  }
  const std::size_t before = problem_count();
  for (const dom::key_value_pair member : object) {
    if (state_.full()) break;
    Reader reader(state_, this, member.key, no_index, node_of(member.value));
    f(context, member.key, reader);
  }
  return problem_count() == before;
}

bool Reader::has_member(std::string_view name) const {
  dom::object object;
  if (element_of(node_).get_object().get(object) != simdjson::SUCCESS) return false;
  for (const dom::key_value_pair member : object) {
    if (member.key == name) return true;
  }
  return false;
}

std::size_t Reader::size() const {
  const dom::element element = element_of(node_);
  if (is(Kinds::Array)) return dom::array(element).size();
  if (is(Kinds::Object)) return dom::object(element).size();
  return 0;
}

void Reader::fail(std::string_view message, std::string_view code, std::string expected) {
  if (!state_.full()) state_.add(path(), message, code, std::move(expected));
}

void Reader::expected(Kinds kinds) {
  constexpr std::pair<Kinds, std::string_view> names[] = {
      {Kinds::Boolean, "boolean"}, {Kinds::Fraction, "number"}, {Kinds::Integer, "integer"}, {Kinds::String, "string"},
      {Kinds::Array, "array"},     {Kinds::Object, "object"},   {Kinds::Null, "null"},
  };
  std::string message = "expected";
  std::string_view before = " ";
  for (const auto& [kind, name] : names) {
    if ((kinds & kind) == Kinds::None) continue;
    if (kind == Kinds::Integer && (kinds & Kinds::Fraction) != Kinds::None) continue;  // "number" says it
    message.append(before).append(name);
    before = " or ";
  }
  fail(message, "type");
}

std::string Reader::path() const {
  if (parent_ == nullptr) return {};
  std::string path = parent_->path();
  detail::append_pointer(path, index_ == no_index ? key_ : std::to_string(index_));
  return path;
}

void detail::ReadState::add(std::string path, std::string_view message, std::string_view code, std::string expected) {
  if (full()) return;
  error.problems.push_back({std::move(path), std::string(message), std::string(code), std::move(expected)});
}

// Of a long name, its beginning: a client must not make a large error of each of many small faults.
void detail::append_pointer(std::string& path, std::string_view name) {
  constexpr std::size_t most = 256;
  std::size_t shown = name.size();
  if (shown > most) {
    shown = most;
    while (shown > 0 && (static_cast<unsigned char>(name[shown]) & 0xC0U) == 0x80) --shown;  // within a code point
  }
  path.push_back('/');
  for (const char c : name.substr(0, shown)) {
    if (c == '~') {
      path.append("~0");
    } else if (c == '/') {
      path.append("~1");
    } else {
      path.push_back(c);
    }
  }
  if (shown < name.size()) path.append("\u2026");
}

}  // namespace tern::json
