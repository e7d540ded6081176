#include "web/preconditions.hpp"

#include "web/http_date.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <cstddef>

namespace tern::web {
namespace {

enum class Comparison : bool { Strong, Weak };  // section 8.8.3.2

// entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE. Takes the first of the list; empty at its end or at a malformed one.
std::string_view take_tag(std::string_view& list) noexcept {
  const std::size_t begin = std::min(list.find_first_not_of(" \t,"), list.size());
  list.remove_prefix(begin);
  const std::size_t opening = list.starts_with("W/") ? 2 : 0;
  if (list.size() <= opening || list[opening] != '"') return {};
  const std::size_t closing = list.find('"', opening + 1);
  if (closing == std::string_view::npos) return {};
  const std::string_view tag = list.substr(0, closing + 1);
  list.remove_prefix(tag.size());
  return tag;
}

std::string_view opaque(std::string_view tag) noexcept {
  return tag.starts_with("W/") ? tag.substr(2) : tag;
}

bool equals(std::string_view tag, std::string_view own, Comparison comparison) noexcept {
  if (own.empty()) return false;
  if (comparison == Comparison::Weak) return opaque(tag) == opaque(own);
  return tag == own && !own.starts_with("W/");
}

bool matches(const Request& request, std::string_view field, std::string_view own, Comparison comparison) noexcept {
  for (const Field& each : request.fields()) {
    if (!base::equals_ignoring_case(each.name, field)) continue;
    if (base::trim(each.value) == "*") return true;
    std::string_view list = each.value;
    for (std::string_view tag = take_tag(list); !tag.empty(); tag = take_tag(list)) {
      if (equals(tag, own, comparison)) return true;
    }
  }
  return false;
}

std::optional<std::int64_t> date_in(const Request& request, std::string_view field, std::int64_t now) noexcept {
  const auto value = request.field(field);
  return value ? parse_http_date(*value, now) : std::nullopt;
}

bool is_unmet(const Request& request, const Validators& validators, std::int64_t now) noexcept {
  if (request.field("if-match")) return !meets_if_match(request, validators.etag);
  if (!validators.modified) return false;
  const auto date = date_in(request, "if-unmodified-since", now);
  return date && *validators.modified > *date;
}

bool is_known(const Request& request, const Validators& validators, std::int64_t now) noexcept {
  if (request.field("if-none-match")) return matches(request, "if-none-match", validators.etag, Comparison::Weak);
  if (!validators.modified) return false;
  const auto date = date_in(request, "if-modified-since", now);
  return date && *validators.modified <= *date;
}

}  // namespace

Precondition check_preconditions(const Request& request, const Validators& validators, std::int64_t now) noexcept {
  if (is_unmet(request, validators, now)) return Precondition::Failed;
  if (is_known(request, validators, now)) return Precondition::NotModified;
  return Precondition::Holds;
}

bool meets_if_match(const Request& request, std::string_view etag) noexcept {
  return matches(request, "if-match", etag, Comparison::Strong);
}

bool is_entity_tag(std::string_view text) noexcept {
  std::string_view rest = text;
  const bool is_whole = take_tag(rest).size() == text.size() && !text.empty();
  const auto is_etagc = [](char c) { return c > ' ' && c != '\x7F'; };
  return is_whole &&
         std::ranges::all_of(text, [&](char c) { return is_etagc(c) || static_cast<unsigned char>(c) > 127; });
}

// A date is strong if the file can no longer change within that second (section 8.8.2.2).
bool range_applies(const Request& request, const Validators& validators, std::int64_t now) noexcept {
  const auto value = request.field("if-range");
  if (!value) return true;
  if (value->starts_with('"') || value->starts_with("W/")) {
    return equals(*value, validators.etag, Comparison::Strong);
  }
  const auto date = parse_http_date(*value, now);
  return date && validators.modified == date && *date < now - 1;
}

}  // namespace tern::web
