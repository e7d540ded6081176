// Compiles rules, and checks scalars against them.

#include "json/compiled_rules.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include <tern/base/number.hpp>
#include <tern/json/rule_value.hpp>
#include <tern/json/write.hpp>

#include "json/formats.hpp"
#include "json/unique.hpp"

namespace tern::json::detail {
namespace {

__extension__ using Remainder = unsigned __int128;

// Of the shortest decimal text that reads as the same number, so that 19.99 is 1999 hundredths.
Decimal decimal_of(double value) {
  char text[32];
  const auto written = std::to_chars(text, text + sizeof(text), std::abs(value), std::chars_format::scientific);
  Decimal decimal;
  const char* at = text;
  bool behind_point = false;
  for (; *at != 'e'; ++at) {
    if (*at == '.') {
      behind_point = true;
      continue;
    }
    decimal.mantissa = decimal.mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
    if (behind_point) --decimal.exponent;
  }
  int exponent = 0;
  std::from_chars(at[1] == '+' ? at + 2 : at + 1, written.ptr, exponent);
  decimal.exponent += exponent;
  return decimal;
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

Decimal decimal_of(const RuleNumber& number) {
  switch (number.type) {
    case RuleNumber::Type::Fraction: return decimal_of(number.fraction);
    case RuleNumber::Type::Unsigned: return {number.unsigned_integer, 0};
    default: return {magnitude(number.integer), 0};
  }
}

std::uint64_t power_of_ten(int exponent, std::uint64_t modulus) {
  Remainder result = 1 % modulus;
  Remainder base = 10 % modulus;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result * base % modulus;
    base = base * base % modulus;
  }
  return static_cast<std::uint64_t>(result);
}

// Exact, whatever the exponents.
bool is_multiple(const Decimal& value, const Decimal& divisor) {
  if (value.mantissa == 0) return true;
  const int shift = value.exponent - divisor.exponent;
  if (shift >= 0) {
    return Remainder{value.mantissa % divisor.mantissa} * power_of_ten(shift, divisor.mantissa) % divisor.mantissa == 0;
  }
  if (shift < -19) return false;  // 64 bits have no factor 10^20
  Remainder scaled = divisor.mantissa;
  for (int i = 0; i > shift; --i) scaled *= 10;
  return value.mantissa % scaled == 0;
}

RuleNumber number_of(const ScalarValue& value) {
  switch (value.type) {
    case ScalarValue::Type::Fraction: return value.fraction;
    case ScalarValue::Type::Unsigned: return value.unsigned_integer;
    default: return value.integer;
  }
}

bool is_less(const RuleNumber& a, const RuleNumber& b) {
  if (a.type == RuleNumber::Type::Signed && b.type == RuleNumber::Type::Signed) return a.integer < b.integer;
  return a.wide() < b.wide();
}

bool keeps_number(const CompiledRule& compiled, const ScalarValue& value) {
  const RuleNumber number = number_of(value);
  const RuleNumber& limit = compiled.rule->number;
  switch (compiled.rule->kind) {
    case RuleKind::Minimum: return !is_less(number, limit);
    case RuleKind::Maximum: return !is_less(limit, number);
    case RuleKind::ExclusiveMinimum: return is_less(limit, number);
    case RuleKind::ExclusiveMaximum: return is_less(number, limit);
    case RuleKind::MultipleOf: return is_multiple(decimal_of(number), compiled.divisor);
    default: return true;
  }
}

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

std::uint64_t word_at(std::string_view text, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, text.data() + at, word_bytes);
  return word;
}

// Bytes 10xxxxxx, which continue a code point: the high bit is set, and the next one is not.
std::size_t continuations(std::uint64_t word) {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  if ((word & high_bits) == 0) return 0;
  return static_cast<std::size_t>(std::popcount(word & ~(word << 1) & high_bits));
}

std::size_t code_points(std::string_view text) {
  std::size_t continued = 0;
  std::size_t at = 0;
  for (; at + word_bytes <= text.size(); at += word_bytes) continued += continuations(word_at(text, at));
  if (std::endian::native == std::endian::little && at > 0 && at < text.size()) {
    // The last word overlaps the one before it, which was counted.
    const std::size_t counted = at + word_bytes - text.size();
    continued += continuations(word_at(text, text.size() - word_bytes) >> (counted * 8));
  } else {
    for (; at < text.size(); ++at) continued += (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80 ? 1U : 0U;
  }
  return text.size() - continued;
}

// A code point has one to four bytes, so that most texts need not be counted.
bool is_shorter(std::string_view text, std::size_t count) {
  if (text.size() < count) return true;
  if (text.size() / 4 >= count) return false;
  return code_points(text) < count;
}

bool keeps_text(const CompiledRule& compiled, std::string_view text) {
  const Rule& rule = *compiled.rule;
  switch (rule.kind) {
    case RuleKind::MinLength:
      return rule.number.count() <= 1 ? text.size() >= rule.number.count() : !is_shorter(text, rule.number.count());
    case RuleKind::MaxLength: return text.size() <= rule.number.count() || code_points(text) <= rule.number.count();
    case RuleKind::Pattern: return compiled.pattern->is_in(text);
    case RuleKind::Format: return has_format(rule.format, text);
    default: return true;
  }
}

bool is_one_of(const CompiledRule& compiled, const ScalarValue& value) {
  for (const Rule* const allowed : compiled.alternatives) {
    if (value.type == ScalarValue::Type::Text) {
      if (allowed->number.type == RuleNumber::Type::None && allowed->text == value.text) return true;
    } else if (allowed->number.type != RuleNumber::Type::None) {
      const RuleNumber number = number_of(value);
      if (!is_less(number, allowed->number) && !is_less(allowed->number, number)) return true;
    }
  }
  return false;
}

// --- What is said of a violation -------------------------------------------------------------------------------------

std::string text_of(const RuleNumber& number) {
  std::string text;
  switch (number.type) {
    case RuleNumber::Type::Fraction: base::append_number(text, number.fraction); break;
    case RuleNumber::Type::Unsigned: base::append_integer(text, number.unsigned_integer); break;
    default: base::append_integer(text, number.integer); break;
  }
  return text;
}

std::string counted(std::string_view words, const RuleNumber& number, std::string_view things) {
  std::string text(words);
  text.append(text_of(number)).append(" ").append(things);
  if (number.count() == 1) text.pop_back();  // the plural's s
  return text;
}

std::string_view code_of(RuleKind kind) {
  switch (kind) {
    case RuleKind::Minimum: return "minimum";
    case RuleKind::Maximum: return "maximum";
    case RuleKind::ExclusiveMinimum: return "exclusive_minimum";
    case RuleKind::ExclusiveMaximum: return "exclusive_maximum";
    case RuleKind::MultipleOf: return "multiple_of";
    case RuleKind::MinLength: return "min_length";
    case RuleKind::MaxLength: return "max_length";
    case RuleKind::Pattern: return "pattern";
    case RuleKind::Format: return "format";
    case RuleKind::MinItems: return "min_items";
    case RuleKind::MaxItems: return "max_items";
    case RuleKind::UniqueItems: return "unique_items";
    case RuleKind::MinProperties: return "min_properties";
    case RuleKind::MaxProperties: return "max_properties";
    case RuleKind::OneOf: return "one_of";
    default: return "invalid";
  }
}

std::string_view describe(Format format) {
  switch (format) {
    case Format::Email: return "must be an e-mail address";
    case Format::Uri: return "must be a URI";
    case Format::Uuid: return "must be a UUID";
    case Format::Date: return "must be a date as in 2024-12-31";
    case Format::DateTime: return "must be a date and time as in 2024-12-31T23:59:59Z";
    case Format::Ipv4: return "must be an IPv4 address";
    case Format::Ipv6: return "must be an IPv6 address";
    case Format::Hostname: return "must be a hostname";
  }
  return "is malformed";
}

std::string allowed_value(const Rule& rule) {
  return rule.number.type == RuleNumber::Type::None ? to_string(rule.text) : text_of(rule.number);
}

std::string allowed_values(const CompiledRule& compiled) {
  std::string text = "must be ";
  for (std::size_t i = 0; i < compiled.alternatives.size(); ++i) {
    if (i > 0) text.append(i + 1 == compiled.alternatives.size() ? " or " : ", ");
    text.append(allowed_value(*compiled.alternatives[i]));
  }
  return text;
}

std::string message_of(const CompiledRule& compiled) {
  const Rule& rule = *compiled.rule;
  switch (rule.kind) {
    case RuleKind::Minimum: return "must be at least " + text_of(rule.number);
    case RuleKind::Maximum: return "must be at most " + text_of(rule.number);
    case RuleKind::ExclusiveMinimum: return "must be more than " + text_of(rule.number);
    case RuleKind::ExclusiveMaximum: return "must be less than " + text_of(rule.number);
    case RuleKind::MultipleOf: return "must be a multiple of " + text_of(rule.number);
    case RuleKind::MinLength: return counted("must have at least ", rule.number, "characters");
    case RuleKind::MaxLength: return counted("must have at most ", rule.number, "characters");
    case RuleKind::Pattern:
      return rule.message.empty() ? "must match " + std::string(rule.text) : std::string(rule.message);
    case RuleKind::Format: return std::string(describe(rule.format));
    case RuleKind::MinItems: return counted("must have at least ", rule.number, "elements");
    case RuleKind::MaxItems: return counted("must have at most ", rule.number, "elements");
    case RuleKind::UniqueItems: return "must not have equal elements";
    case RuleKind::MinProperties: return counted("must have at least ", rule.number, "members");
    case RuleKind::MaxProperties: return counted("must have at most ", rule.number, "members");
    case RuleKind::OneOf: return allowed_values(compiled);
    default: return "is not valid";
  }
}

std::string expected_of(const CompiledRule& compiled) {
  const Rule& rule = *compiled.rule;
  switch (rule.kind) {
    case RuleKind::Pattern: return to_string(rule.text);
    case RuleKind::Format: return to_string(format_name(rule.format));
    case RuleKind::UniqueItems: return "true";
    case RuleKind::OneOf: {
      std::string text = "[";
      for (const Rule* const allowed : compiled.alternatives) {
        if (text.size() > 1) text.push_back(',');
        text.append(allowed_value(*allowed));
      }
      return text.append("]");
    }
    default: return text_of(rule.number);
  }
}

}  // namespace

CompiledRules::CompiledRules(const RuleTable& table) : table_(&table) {
  for (std::size_t index = 0; index <= table.member_count; ++index) {
    const auto stated = index < table.member_count ? table.of_member(index) : table.of_value();
    RuleGroup group;
    group.begin = rules_.size();
    for (const Rule& rule : stated) {
      if (!is_checked(rule.kind)) continue;
      add(rule, group.begin);
      group.max_depth = std::max<std::size_t>(group.max_depth, rule.depth);
    }
    group.end = rules_.size();
    groups_.push_back(group);
  }
}

void CompiledRules::add(const Rule& rule, std::size_t group_begin) {
  if (rule.kind == RuleKind::OneOf) {
    for (std::size_t i = group_begin; i < rules_.size(); ++i) {
      if (rules_[i].rule->kind != RuleKind::OneOf || rules_[i].rule->depth != rule.depth) continue;
      rules_[i].alternatives.push_back(&rule);
      return;
    }
  }
  CompiledRule compiled{&rule, nullptr, {}, {}};
  if (rule.kind == RuleKind::OneOf) compiled.alternatives.push_back(&rule);
  if (rule.kind == RuleKind::MultipleOf) compiled.divisor = decimal_of(rule.number);
  if (rule.kind == RuleKind::Pattern) {
    compiled.pattern = std::make_unique<const Pattern>(rule.text);
    if (!compiled.pattern->error().empty()) {
      std::string place(table_->type);
      if (!rule.member.empty()) place.append("::").append(rule.member);
      throw std::invalid_argument("the pattern '" + std::string(rule.text) + "' of " + place +
                                  " is malformed: " + compiled.pattern->error());
    }
  }
  rules_.push_back(std::move(compiled));
}

const CompiledRules& compile_rules(const RuleTable& table) {
  return *new CompiledRules(table);  // NOLINT: a static reference owns it until the end
}

Problem violation(const CompiledRule& rule) {
  return {{}, message_of(rule), std::string(code_of(rule.rule->kind)), expected_of(rule)};
}

Problem violation(const Rule& check) {
  return {{}, std::string(check.message.empty() ? "is not valid" : check.message), std::string(check.text), {}};
}

bool keeps(const CompiledRule& rule, const ScalarValue& value) {
  if (value.type == ScalarValue::Type::None) return true;
  if (rule.rule->kind == RuleKind::OneOf) return is_one_of(rule, value);
  return value.type == ScalarValue::Type::Text ? keeps_text(rule, value.text) : keeps_number(rule, value);
}

bool has_length(std::string_view text, std::size_t min, std::size_t max) {
  const std::size_t length = code_points(text);
  return length >= min && length <= max;
}

bool keeps_listed(std::string_view text, const ValueRules& rules) {
  for (const CompiledRule& rule : rules.compiled().of(rules.member)) {
    if (rule.rule->depth != rules.depth) continue;
    if (rule.pattern != nullptr && !rule.pattern->is_in(text)) return false;
    if (!rule.alternatives.empty() && !is_one_of(rule, {.type = ScalarValue::Type::Text, .text = text})) return false;
  }
  return true;
}

bool keeps_size(const CompiledRule& rule, RuleKind min, RuleKind max, std::size_t size) {
  if (rule.rule->kind == min) return size >= rule.rule->number.count();
  if (rule.rule->kind == max) return size <= rule.rule->number.count();
  return true;
}

// --- Values that are not read from JSON ------------------------------------------------------------------------------

bool has_rules(const CompiledRules& rules, std::size_t member) {
  return !rules.of(member).empty();
}

namespace {

void add_violation(const CompiledRule& rule, std::string_view name, std::vector<Problem>& problems) {
  if (problems.size() >= max_violations) return;
  problems.push_back(violation(rule));
  problems.back().path = name;
}

}  // namespace

void check_scalar(const CompiledRules& rules, std::size_t member, const ScalarValue& value, std::string_view name,
                  std::vector<Problem>& problems) {
  for (const CompiledRule& rule : rules.of(member)) {
    if (rule.rule->depth == 0 && !keeps(rule, value)) add_violation(rule, name, problems);
  }
}

void check_list(const CompiledRules& rules, std::size_t member, std::span<const ScalarValue> values,
                std::string_view name, std::vector<Problem>& problems) {
  for (const CompiledRule& rule : rules.of(member)) {
    if (rule.rule->depth == 0) {
      const bool kept = rule.rule->kind == RuleKind::UniqueItems
                            ? all_different(values)
                            : keeps_size(rule, RuleKind::MinItems, RuleKind::MaxItems, values.size());
      if (!kept) add_violation(rule, name, problems);
    } else if (rule.rule->depth == 1) {
      for (const ScalarValue& value : values) {
        if (!keeps(rule, value)) add_violation(rule, name, problems);
      }
    }
  }
}

void check_struct(const CompiledRules& rules, const void* object, std::span<const std::string_view> names,
                  std::vector<Problem>& problems) {
  for (const Rule& check : rules.table().checks()) {
    if (check.holds(object) || problems.size() >= max_violations) continue;
    problems.push_back(violation(check));
    if (!check.member.empty()) problems.back().path = names[check.number.count()];
  }
}

bool all_different(std::span<const ScalarValue> values) {
  return all_different(
      values.size(), [values](std::size_t i) { return hash_of(values[i]); },
      [values](std::size_t i, std::size_t j) { return is_equal(values[i], values[j]); });
}

}  // namespace tern::json::detail
