// Accept-Encoding  = #( codings [ weight ] )
// codings          = content-coding / "identity" / "*"
// weight           = OWS ";" OWS "q=" qvalue
// qvalue           = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] )
#include "web/accept_encoding.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace tern::web {
namespace {

constexpr int unlisted = -1;
constexpr std::array<std::string_view, 4> names = {"identity", "gzip", "br", "zstd"};

// Thousandths; unset for a malformed weight. Without one, the quality is 1.
std::optional<int> read_weight(std::string_view text) noexcept {
  if (text.empty()) return 1000;
  text = base::trim(text.substr(1));
  if (text.size() < 3 || text.size() > 7 || base::to_lower(text[0]) != 'q' || text[1] != '=') return std::nullopt;
  text.remove_prefix(2);
  if (text[0] != '0' && text[0] != '1') return std::nullopt;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int quality = (text[0] - '0') * 1000;
  int unit = 100;
  for (std::size_t i = 2; i < text.size(); ++i, unit /= 10) {
    if (!base::is_digit(text[i])) return std::nullopt;
    quality += (text[i] - '0') * unit;
  }
  return quality > 1000 ? std::nullopt : std::optional(quality);
}

// The qualities that a client gives to the codings.
class Qualities {
public:
  Qualities() noexcept { listed_.fill(unlisted); }

  void read(std::string_view list) noexcept {
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(','), list.size());
      read_element(list.substr(0, comma));
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
  }

  int of(ContentCoding coding) const noexcept {
    const int listed = listed_[static_cast<std::size_t>(coding)];
    return listed == unlisted ? others_ : listed;
  }

private:
  void read_element(std::string_view element) noexcept {
    const std::size_t semicolon = std::min(element.find(';'), element.size());
    const std::optional<int> quality = read_weight(element.substr(semicolon));
    if (!quality) return;
    const std::string_view name = base::trim(element.substr(0, semicolon));
    if (name == "*") {
      others_ = std::max(others_, *quality);
    } else if (const std::optional<ContentCoding> coding = find_coding(name)) {
      int& listed = listed_[static_cast<std::size_t>(*coding)];
      listed = std::max(listed, *quality);
    }
  }

  std::array<int, names.size()> listed_;
  int others_ = unlisted;  // "*"
};

}  // namespace

std::string_view name_of(ContentCoding coding) noexcept {
  return names[static_cast<std::size_t>(coding)];
}

std::optional<ContentCoding> find_coding(std::string_view name) noexcept {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (base::equals_ignoring_case(name, names[i])) return static_cast<ContentCoding>(i);
  }
  if (base::equals_ignoring_case(name, "x-gzip")) return ContentCoding::Gzip;
  return std::nullopt;
}

std::optional<ContentCoding> negotiate_coding(const RequestFields& fields,
                                              std::span<const ContentCoding> available) noexcept {
  Qualities qualities;
  bool asked = false;
  for (const Field& field : fields) {
    if (!base::equals_ignoring_case(field.name, "accept-encoding")) continue;
    asked = true;
    qualities.read(field.value);
  }
  if (!asked) return ContentCoding::Identity;
  std::optional<ContentCoding> best;
  int best_quality = 0;
  const auto consider = [&](ContentCoding coding) {
    if (qualities.of(coding) <= best_quality) return;
    best = coding;
    best_quality = qualities.of(coding);
  };
  for (const ContentCoding coding : available) consider(coding);
  consider(ContentCoding::Identity);
  if (!best && qualities.of(ContentCoding::Identity) == unlisted) return ContentCoding::Identity;
  return best;
}

bool accepts_coding(const RequestFields& fields, ContentCoding coding) noexcept {
  Qualities qualities;
  for (const Field& field : fields) {
    if (base::equals_ignoring_case(field.name, "accept-encoding")) qualities.read(field.value);
  }
  return qualities.of(coding) > 0;
}

}  // namespace tern::web
