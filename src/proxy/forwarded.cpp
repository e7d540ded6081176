#include "proxy/forwarded.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

namespace tern::proxy {
namespace {

using base::equals_ignoring_case;

// The elements of all fields of a name, from the last to the first. Commas within quotes belong to their element.
class ElementsFromTheEnd {
public:
  ElementsFromTheEnd(const RequestFields& fields, std::string_view name) : fields_(fields), name_(name) {}

  std::optional<std::string_view> next() {
    while (!in_field_) {
      if (left_ == 0) return std::nullopt;
      const Field& field = fields_[--left_];
      if (!equals_ignoring_case(field.name, name_)) continue;
      rest_ = field.value;
      in_field_ = true;
    }
    std::size_t comma = rest_.size();
    bool quoted = false;
    for (std::size_t at = rest_.size(); at-- > 0;) {
      if (rest_[at] == '"') quoted = !quoted;
      if (rest_[at] == ',' && !quoted) {
        comma = at;
        break;
      }
    }
    const bool found = comma != rest_.size();
    const std::string_view element = base::trim(found ? rest_.substr(comma + 1) : rest_);
    rest_ = found ? rest_.substr(0, comma) : std::string_view();
    in_field_ = found;
    return element;
  }

private:
  const RequestFields& fields_;
  std::string_view name_;
  std::size_t left_ = fields_.size();
  std::string_view rest_;
  bool in_field_ = false;
};

// "192.0.2.43", "192.0.2.43:47011", "2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:47011" (RFC 7239, section 6).
std::optional<net::Address> address_of(std::string_view node) {
  std::uint16_t port = 0;
  const std::size_t colon = node.rfind(':');
  const bool bracketed = node.starts_with('[');
  const bool has_port =
      colon != std::string_view::npos && (bracketed ? node[colon - 1] == ']' : node.find(':') == colon);
  if (has_port) {
    const auto number = base::parse_integer<std::uint16_t>(node.substr(colon + 1));
    if (!number) return std::nullopt;
    port = *number;
    node = node.substr(0, colon);
  }
  if (node == "localhost" || (bracketed && node.find(':') == std::string_view::npos)) return std::nullopt;
  return net::Address::parse(node, port);
}

std::string_view scheme_of(std::string_view text) noexcept {
  if (equals_ignoring_case(text, "https")) return "https";
  if (equals_ignoring_case(text, "http")) return "http";
  return {};
}

struct Element {
  std::string_view client;
  std::string_view scheme;
};

// forwarded-element = [ forwarded-pair ] *( ";" [ forwarded-pair ] ), forwarded-pair = token "=" ( token / quoted ). A
// quoted address or scheme has no escapes.
Element read_element(std::string_view text) noexcept {
  Element element;
  while (!text.empty()) {
    std::size_t end = 0;
    for (bool quoted = false; end < text.size() && (quoted || text[end] != ';'); ++end) {
      if (text[end] == '"') quoted = !quoted;
    }
    const std::string_view pair = base::trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view value = pair.substr(equals + 1);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    if (equals_ignoring_case(pair.substr(0, equals), "for")) element.client = value;
    if (equals_ignoring_case(pair.substr(0, equals), "proto")) element.scheme = value;
  }
  return element;
}

}  // namespace

Origin origin_of(const RequestFields& fields, const net::Address& peer, std::string_view scheme,
                 std::span<const net::Network> trusted, ForwardedBy field) {
  Origin origin{peer, scheme, false};
  const auto is_trusted = [&](const net::Address& address) {
    return std::ranges::any_of(trusted, [&](const net::Network& network) { return network.contains(address); });
  };
  const bool standard = field == ForwardedBy::Forwarded;
  ElementsFromTheEnd elements(fields, standard ? "forwarded" : "x-forwarded-for");
  ElementsFromTheEnd schemes(fields, standard ? "" : "x-forwarded-proto");
  while (is_trusted(origin.address)) {
    origin.peer_is_trusted = true;
    const auto text = elements.next();
    const auto other_scheme = schemes.next();
    Element element;
    if (text) element = standard ? read_element(*text) : Element{*text, {}};
    if (other_scheme) element.scheme = *other_scheme;
    if (const std::string_view told = scheme_of(element.scheme); !told.empty()) origin.scheme = told;
    const auto address = text ? address_of(element.client) : std::nullopt;
    if (!address) break;  // the last known proxy does not know its client, or hides it
    origin.address = *address;
  }
  return origin;
}

}  // namespace tern::proxy
