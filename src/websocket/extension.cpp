// Sec-WebSocket-Extensions = 1#extension
// extension                = token *( ";" param )
// param                    = token [ "=" ( token / quoted-string ) ]       (the quoted text is a token, too)
#include "websocket/extension.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tern::websocket {
namespace {

constexpr int min_server_window_bits = 9;

struct Parameter {
  std::string_view name;
  std::optional<std::string_view> value;
};

struct Offer {
  std::string_view name;
  std::vector<Parameter> parameters;
};

class Reader {
public:
  explicit Reader(std::string_view text) noexcept : rest_(text) {}

  bool at_end() noexcept {
    skip_blanks();
    return rest_.empty();
  }
  bool take(char c) noexcept {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Empty if there is none.
  std::string_view token() noexcept {
    skip_blanks();
    const auto end = std::ranges::find_if_not(rest_, base::is_token_char);
    const std::string_view found = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(found.size());
    return found;
  }
  std::string_view token_or_quoted() noexcept {
    if (!take('"')) return token();
    const std::string_view found = token();
    return !rest_.empty() && rest_.front() == '"' && take('"') ? found : std::string_view();
  }

private:
  void skip_blanks() noexcept {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

bool read_offer(Reader& reader, Offer& offer) {
  offer.name = reader.token();
  if (offer.name.empty()) return false;
  while (reader.take(';')) {
    Parameter parameter;
    parameter.name = reader.token();
    if (parameter.name.empty()) return false;
    if (reader.take('=')) {
      parameter.value = reader.token_or_quoted();
      if (parameter.value->empty()) return false;
    }
    offer.parameters.push_back(parameter);
  }
  return true;
}

bool read_offers(std::string_view value, std::vector<Offer>& offers) {
  Reader reader(value);
  while (!reader.at_end()) {
    if (reader.take(',')) continue;  // empty elements are allowed in lists
    if (!read_offer(reader, offers.emplace_back())) return false;
    if (!reader.at_end() && !reader.take(',')) return false;
  }
  return true;
}

// 8 to 15, without a leading zero.
std::optional<int> window_bits(std::string_view text) {
  if (text.starts_with('0')) return std::nullopt;
  const auto bits = base::parse_integer<unsigned>(text);
  if (!bits || *bits < 8 || *bits > 15) return std::nullopt;
  return static_cast<int>(*bits);
}

class Negotiation {
public:
  explicit Negotiation(const DeflateConfig& config) : config_(config) {
    parameters_.server_context_takeover = config.server_context_takeover;
    parameters_.client_context_takeover = config.client_context_takeover;
    parameters_.server_window_bits = config.server_window_bits;
  }

  // False: the offer is declined (RFC 7692, section 7.1: unknown, repeated or invalid parameters).
  bool add(const Parameter& parameter) {
    if (parameter.name == "server_no_context_takeover") {
      parameters_.server_context_takeover = false;
      return once(seen_[0]) && !parameter.value;
    }
    if (parameter.name == "client_no_context_takeover") {
      parameters_.client_context_takeover = false;
      return once(seen_[1]) && !parameter.value;
    }
    if (parameter.name == "server_max_window_bits") {
      if (!once(seen_[2]) || !parameter.value) return false;
      const auto bits = window_bits(*parameter.value);
      if (!bits || *bits < min_server_window_bits) return false;
      parameters_.server_window_bits = std::min(parameters_.server_window_bits, *bits);
      return true;
    }
    if (parameter.name == "client_max_window_bits") {
      const auto bits = parameter.value ? window_bits(*parameter.value) : std::optional(15);
      if (!once(seen_[3]) || !bits) return false;
      parameters_.client_window_bits = std::min(config_.client_window_bits, *bits);
      return true;
    }
    return false;
  }

  const DeflateParameters& parameters() const noexcept { return parameters_; }

private:
  static bool once(bool& seen) noexcept { return !std::exchange(seen, true); }

  const DeflateConfig& config_;
  DeflateParameters parameters_;
  bool seen_[4] = {};
};

}  // namespace

std::expected<std::optional<DeflateParameters>, MalformedExtensions> negotiate_deflate(
    const std::vector<std::string_view>& values, const DeflateConfig& config) {
  std::vector<Offer> offers;
  for (const std::string_view value : values) {
    if (!read_offers(value, offers)) return std::unexpected(MalformedExtensions{});
  }
  if (!config.enabled) return std::nullopt;
  for (const Offer& offer : offers) {
    if (!base::equals_ignoring_case(offer.name, "permessage-deflate")) continue;
    Negotiation negotiation(config);
    if (std::ranges::all_of(offer.parameters, [&](const Parameter& one) { return negotiation.add(one); })) {
      return negotiation.parameters();
    }
  }
  return std::nullopt;
}

// client_max_window_bits differs from 15 only if the client's offer allows it.
std::string to_extension(const DeflateParameters& parameters) {
  std::string text = "permessage-deflate";
  if (!parameters.server_context_takeover) text += "; server_no_context_takeover";
  if (!parameters.client_context_takeover) text += "; client_no_context_takeover";
  const auto add_bits = [&text](std::string_view name, int bits) {
    if (bits == 15) return;
    text += name;
    base::append_integer(text, bits);
  };
  add_bits("; server_max_window_bits=", parameters.server_window_bits);
  add_bits("; client_max_window_bits=", parameters.client_window_bits);
  return text;
}

}  // namespace tern::websocket
