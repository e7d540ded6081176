// Reading of the shapes that need more than one look at a value: structs, variants, enums, single characters, raw text.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <tern/base/number.hpp>
#include <tern/json/read.hpp>
#include <tern/json/write.hpp>

#include "json/read_state.hpp"
#include "json/rule_walk.hpp"

namespace tern::json {

namespace dom = simdjson::dom;

namespace detail {

namespace {

// Objects mostly come in the order of the struct, so the search begins behind the last hit.
std::size_t find(const ReadTable& table, std::size_t from, std::string_view name) {
  for (std::size_t i = from; i < table.count; ++i) {
    if (table.members[i].name == name) return i;
  }
  for (std::size_t i = 0; i < from; ++i) {
    if (table.members[i].name == name) return i;
  }
  return table.count;
}

std::string one_of(const EnumTable& table) {
  constexpr std::size_t most = 16;
  const auto& names = table.names();
  if (names.empty() || names.size() > most) return "unknown name";
  std::string message = "expected ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) message.append(i + 1 == names.size() ? " or " : ", ");
    message.append("\"").append(names[i]).append("\"");
  }
  return message;
}

std::string listed(std::span<const Alternative> alternatives, std::string_view separator, std::string_view last) {
  std::string text;
  std::size_t left = 0;
  for (const Alternative& each : alternatives) left += each.is_struct ? 1U : 0U;
  bool is_first = true;
  for (const Alternative& each : alternatives) {
    if (!each.is_struct) continue;
    if (!is_first) text.append(left == 1 ? last : separator);
    text.append(to_string(each.discriminator.value));
    is_first = false;
    --left;
  }
  return text;
}

void note_missing_member(const Reader& reader, ReadState& state, std::string_view name) {
  std::string path = reader.path();
  append_pointer(path, name);
  state.add(std::move(path), "missing", "missing");
}

// The member that only tells which struct it is.
void check_discriminator(Reader& member, const Discriminator& discriminator) {
  std::string_view value;
  if (!member.text(value) || value == discriminator.value) return;
  const std::string expected = to_string(discriminator.value);
  member.fail("must be " + expected, "one_of", "[" + expected + "]");
}

// Notes the members in `missing` that have no default.
void note_missing(const Reader& reader, ReadState& state, const ReadTable& table, std::uint64_t missing) {
  if (missing != 0) missing &= ~table.may_be_missing();
  if (missing == 0) return;
  for (std::size_t i = 0; i < table.count; ++i) {
    if ((missing >> i & 1) != 0) note_missing_member(reader, state, table.members[i].name);
  }
}

}  // namespace

void read_struct(Reader& reader, void* object, const ReadTable& table) {
  dom::object members;
  if (element_of(reader.node_).get_object().get(members) != simdjson::SUCCESS) return reader.expected(Kinds::Object);
  const RuleTable* const rules = table.rules;
  const bool is_request = reader.state_.limits.is_request;
  const std::uint64_t not_taken = rules != nullptr && is_request ? rules->read_only : 0;
  const std::uint64_t not_sent = rules != nullptr && !is_request ? rules->write_only : 0;
  const std::size_t problems = reader.problem_count();
  const bool deny_unknown = table.deny_unknown || reader.state_.limits.deny_unknown;
  void* addresses[max_members];
  table.addresses(object, addresses);
  std::uint64_t seen = 0;
  std::size_t next = 0;
  bool has_discriminator = table.discriminator.member.empty();
  for (const dom::key_value_pair member : members) {
    if (reader.state_.full()) return;
    const std::size_t at = find(table, next, member.key);
    const bool is_unknown = at == table.count;
    const bool is_taken = !is_unknown && (not_taken >> at & 1) == 0;
    const bool is_discriminator = is_unknown && !has_discriminator && member.key == table.discriminator.member;
    if (!is_taken && !deny_unknown && !is_discriminator) continue;
    Reader child(reader.state_, &reader, member.key, no_index, node_of(member.value));
    if (is_discriminator) {
      has_discriminator = true;
      check_discriminator(child, table.discriminator);
      continue;
    }
    if (!is_taken) {
      child.fail(is_unknown ? "unknown member" : "only in responses", is_unknown ? "unknown" : "read_only");
      continue;
    }
    seen |= std::uint64_t{1} << at;
    next = at + 1;
    table.members[at].read(child, addresses[at]);
  }
  if (!has_discriminator) note_missing_member(reader, reader.state_, table.discriminator.member);
  note_missing(reader, reader.state_, table, all_members(table.count) & ~seen & ~not_taken & ~not_sent);
  if (rules != nullptr && !rules->checks().empty() && reader.problem_count() == problems) {
    RuleWalk::check_struct(reader, *rules, object, table.members);
  }
}

namespace {

std::size_t choose_by_discriminator(Reader& reader, ReadState& state, std::span<const Alternative> alternatives,
                                    std::string_view discriminator) {
  std::size_t chosen = no_alternative;
  bool is_there = false;
  reader.each_member([&](std::string_view name, Reader& member) {
    std::string_view value;
    if (name != discriminator) return;
    is_there = true;
    if (!member.text(value)) return;
    for (std::size_t i = 0; i < alternatives.size(); ++i) {
      if (alternatives[i].is_struct && alternatives[i].discriminator.value == value) chosen = i;
    }
    if (chosen != no_alternative) return;
    member.fail("must be " + listed(alternatives, ", ", " or "), "one_of", "[" + listed(alternatives, ",", ",") + "]");
  });
  if (!is_there) note_missing_member(reader, state, discriminator);
  return chosen;
}

std::size_t choose_by_members(Reader& reader, std::span<const Alternative> alternatives) {
  std::size_t chosen = no_alternative;
  bool several = false;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    for (const std::string_view name : alternatives[i].names) {
      if (!is_mark(alternatives, i, name) || !reader.has_member(name)) continue;
      several = several || (chosen != no_alternative && chosen != i);
      chosen = i;
    }
  }
  if (several) {
    reader.fail("the members of several alternatives are mixed", "alternative");
    return no_alternative;
  }
  if (chosen == no_alternative) reader.fail("no member tells which alternative it is", "alternative");
  return chosen;
}

}  // namespace

std::size_t choose_alternative(Reader& reader, std::span<const Alternative> alternatives) {
  const Kinds kind = reader.kind();
  Kinds all = Kinds::None;
  std::size_t integer = no_alternative;
  std::size_t chosen = no_alternative;
  std::size_t structs = 0;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    all = all | alternatives[i].kinds;
    if ((alternatives[i].kinds & Kinds::Integer) != Kinds::None) integer = i;
    if (alternatives[i].is_struct) ++structs;
    const bool better = chosen == no_alternative || alternatives[i].kinds == Kinds::Integer;
    if ((alternatives[i].kinds & kind) != Kinds::None && better) chosen = i;
  }
  std::int64_t whole = 0;
  if (chosen == no_alternative && integer != no_alternative && is_whole(element_of(reader.node_), whole)) {
    chosen = integer;  // 1.0
  } else if (chosen == no_alternative) {
    reader.expected(all);
  } else if (kind == Kinds::Object && structs > 1) {
    const std::string_view discriminator = common_discriminator(alternatives);
    return discriminator.empty() ? choose_by_members(reader, alternatives)
                                 : choose_by_discriminator(reader, reader.state_, alternatives, discriminator);
  }
  return chosen;
}

bool read_enum(Reader& reader, const EnumTable& table, std::int64_t& out) {
  std::string_view name;
  if (!reader.text(name)) return false;
  const auto value = table.value(name);
  if (!value) {
    reader.fail(one_of(table), "one_of");
    return false;
  }
  out = *value;
  return true;
}

void fail_member(Reader& member, const EnumTable& table) {
  member.fail(one_of(table) + " as name of the member", "one_of");
}

bool read_character(Reader& reader, char& out) {
  std::string_view text;
  if (!reader.text(text)) return false;
  if (text.size() != 1 || static_cast<unsigned char>(text[0]) >= 0x80) {
    reader.fail("expected string of one ASCII character", "type");
    return false;
  }
  out = text[0];
  return true;
}

void fail_length(Reader& reader, std::size_t length) {
  reader.fail("expected array of " + std::to_string(length) + (length == 1 ? " element" : " elements"), "items");
}

namespace {

void write_raw(Writer& writer, dom::element element);

// An integral double keeps a fraction, so that it stays no integer for the next reader.
void write_raw_double(Writer& writer, double value) {
  std::string text;
  base::append_number(text, value);
  if (text.find_first_of(".e") == std::string::npos) text.append(".0");
  writer.raw(text);
}

void write_raw_container(Writer& writer, dom::element element) {
  if (element.is_array()) {
    writer.begin_array();
    for (const dom::element child : dom::array(element)) write_raw(writer, child);
    writer.end_array();
  } else {
    writer.begin_object();
    for (const dom::key_value_pair member : dom::object(element)) {
      writer.key(member.key);
      write_raw(writer, member.value);
    }
    writer.end_object();
  }
}

void write_raw(Writer& writer, dom::element element) {
  switch (element.type()) {
    case dom::element_type::INT64: return writer.integer(std::int64_t(element));
    case dom::element_type::UINT64: return writer.unsigned_integer(std::uint64_t(element));
    case dom::element_type::DOUBLE: return write_raw_double(writer, double(element));
    case dom::element_type::STRING: return writer.text(std::string_view(element));
    case dom::element_type::BOOL: return writer.boolean(bool(element));
    case dom::element_type::NULL_VALUE: return writer.null();
    default: return write_raw_container(writer, element);
  }
}

}  // namespace
}  // namespace detail

bool Reader::raw(std::string& out) {
  out.clear();
  Writer writer(out);
  detail::write_raw(writer, detail::element_of(node_));
  return true;
}

}  // namespace tern::json
