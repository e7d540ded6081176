// Texts of single values: sizes, durations, names.
#include <tern/config/type.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace tern::configuration {
namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
  std::string_view name;
  std::int64_t value;
};

constexpr std::int64_t kibi = 1024;
constexpr std::int64_t kilo = 1000;
constexpr Unit sizes[] = {
    {"B", 1},
    {"kB", kilo},
    {"KB", kilo},
    {"MB", kilo* kilo},
    {"GB", kilo* kilo* kilo},
    {"TB", kilo* kilo* kilo* kilo},
    {"KiB", kibi},
    {"kiB", kibi},
    {"MiB", kibi* kibi},
    {"GiB", kibi* kibi* kibi},
    {"TiB", kibi* kibi* kibi* kibi},
};

// In nanoseconds.
constexpr std::int64_t second = 1'000'000'000;
constexpr Unit durations[] = {
    {"ns", 1},          {"us", 1000},         {"ms", 1'000'000},    {"s", second},
    {"m", 60 * second}, {"min", 60 * second}, {"h", 3600 * second}, {"d", 24 * 3600 * second},
};

template <std::size_t N>
std::optional<std::int64_t> unit_named(const Unit (&units)[N], std::string_view name) {
  const auto unit = std::ranges::find(units, name, &Unit::name);
  if (unit == std::ranges::end(units)) return std::nullopt;
  return unit->value;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

void skip_blanks(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
}

// Takes digits, perhaps with a fraction, off the front of `text`: mantissa / scale.
bool take_number(std::string_view& text, std::uint64_t& mantissa, std::uint64_t& scale) {
  std::size_t end = 0;
  std::string digits;
  scale = 1;
  bool fraction = false;
  for (; end < text.size() && (is_digit(text[end]) || (text[end] == '.' && !fraction && end > 0)); ++end) {
    if (text[end] == '.') {
      fraction = true;
      continue;
    }
    digits.push_back(text[end]);
    if (fraction) scale *= 10;
    if (digits.size() > 18) return false;
  }
  if (end == 0 || text[end - 1] == '.') return false;
  unsigned long long value = 0;
  if (!base::parse_digits(digits, 1'000'000'000'000'000'000ULL, value)) return false;
  mantissa = value;
  text.remove_prefix(end);
  return true;
}

// mantissa / scale * unit, exactly.
bool multiply(std::uint64_t mantissa, std::uint64_t scale, std::int64_t unit, std::uint64_t& result) {
  const auto product = static_cast<Wide>(mantissa) * static_cast<Wide>(unit);
  if (product % scale != 0 || product / scale > UINT64_MAX) return false;
  result = static_cast<std::uint64_t>(product / scale);
  return true;
}

// The largest unit of which `value` is a multiple.
template <std::size_t N>
void print(std::uint64_t value, const std::array<Unit, N>& units, std::string_view separator, std::string& out) {
  for (const Unit& unit : units) {
    const auto size = static_cast<std::uint64_t>(unit.value);
    if (value % size != 0) continue;
    base::append_integer(out, value / size);
    out.append(separator).append(unit.name);
    return;
  }
}

}  // namespace

bool parse_size(std::string_view text, std::uint64_t most, std::uint64_t& bytes) {
  if (!text.empty() && std::ranges::all_of(text, is_digit)) {
    const auto plain = base::parse_integer<std::uint64_t>(text);
    if (!plain || *plain > most) return false;
    bytes = *plain;
    return true;
  }
  std::uint64_t mantissa = 0;
  std::uint64_t scale = 1;
  std::uint64_t result = 0;
  if (!take_number(text, mantissa, scale)) return false;
  skip_blanks(text);
  const auto unit = unit_named(sizes, text);
  if (!unit || !multiply(mantissa, scale, *unit, result) || result > most) return false;
  bytes = result;
  return true;
}

void print_size(std::uint64_t bytes, std::string& out) {
  static constexpr std::array<Unit, 4> binary = {
      {{"TiB", kibi * kibi * kibi * kibi}, {"GiB", kibi * kibi * kibi}, {"MiB", kibi * kibi}, {"KiB", kibi}}};
  const bool even = bytes != 0 && bytes % static_cast<std::uint64_t>(kibi) == 0;
  if (!even) return base::append_integer(out, bytes);
  print(bytes, binary, " ", out);
}

bool parse_duration(std::string_view text, std::int64_t numerator, std::int64_t denominator, std::int64_t& ticks) {
  if (text == "0") {
    ticks = 0;
    return true;
  }
  Wide total = 0;  // nanoseconds
  if (text.empty()) return false;
  while (!text.empty()) {
    std::uint64_t mantissa = 0;
    std::uint64_t scale = 1;
    std::uint64_t part = 0;
    if (!take_number(text, mantissa, scale)) return false;
    skip_blanks(text);
    const auto letters = static_cast<std::size_t>(
        std::ranges::find_if(text, [](char c) { return is_digit(c) || c == ' '; }) - text.begin());
    const auto unit = unit_named(durations, text.substr(0, letters));
    if (!unit || !multiply(mantissa, scale, *unit, part)) return false;
    total += part;
    text.remove_prefix(letters);
    skip_blanks(text);
  }
  const auto per_tick = static_cast<Wide>(numerator) * static_cast<Wide>(second);
  const auto scaled = total * static_cast<Wide>(denominator);
  if (scaled % per_tick != 0 || scaled / per_tick > static_cast<Wide>(INT64_MAX)) return false;
  ticks = static_cast<std::int64_t>(scaled / per_tick);
  return true;
}

void print_duration(std::int64_t ticks, std::int64_t numerator, std::int64_t denominator, std::string& out) {
  static constexpr std::array<Unit, 7> largest_first = {{{"d", 24 * 3600 * second},
                                                         {"h", 3600 * second},
                                                         {"m", 60 * second},
                                                         {"s", second},
                                                         {"ms", 1'000'000},
                                                         {"us", 1000},
                                                         {"ns", 1}}};
  if (ticks <= 0) return static_cast<void>(out.append("0"));
  const auto nanoseconds = static_cast<Wide>(ticks) * static_cast<Wide>(numerator) * static_cast<Wide>(second) /
                           static_cast<Wide>(denominator);
  print(static_cast<std::uint64_t>(nanoseconds), largest_first, "", out);
}

bool parse_boolean(std::string_view text, bool& out) {
  for (const auto& [name, value] : {std::pair<std::string_view, bool>{"true", true},
                                    {"false", false},
                                    {"1", true},
                                    {"0", false},
                                    {"yes", true},
                                    {"no", false},
                                    {"on", true},
                                    {"off", false}}) {
    if (!equal_in_any_case(text, name)) continue;
    out = value;
    return true;
  }
  return false;
}

bool parse_enum(std::string_view text, const json::detail::EnumTable& table, std::int64_t& out) {
  std::string_view found;
  for (const std::string_view name : table.names()) {
    if (name == text || (found.empty() && equal_in_any_case(name, text))) found = name;
  }
  if (found.empty()) return false;
  out = *table.value(found);
  return true;
}

std::string expected_enum(const json::detail::EnumTable& table) {
  std::string text = "one of ";
  for (const std::string_view name : table.names()) {
    if (name != table.names().front()) text.append(", ");
    text.append(name);
  }
  return text;
}

std::string expected_integer(std::string_view min, std::string_view max) {
  if (min == "0" && max.size() > 10) return "an integer, not negative";
  if (max.size() > 10) return "an integer";
  return "an integer from " + std::string(min) + " to " + std::string(max);
}

std::string_view description_of(const json::RuleTable& rules, std::size_t member) {
  for (const json::Rule& rule : rules.of_member(member)) {
    if (rule.kind == json::RuleKind::Description && rule.depth == 0) return rule.text;
  }
  return {};
}

}  // namespace tern::configuration
