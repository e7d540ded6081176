// Selects a media type by the client's Accept fields (RFC 9110, section 12.5.1).
#include "http/accept.hpp"

#include "http/list.hpp"
#include "http/parameters.hpp"

#include <tern/base/ascii.hpp>
#include <tern/http/request.hpp>

namespace tern {
namespace {

// A qvalue in thousandths (RFC 9110, section 12.4.2); 0 for a malformed one.
int read_quality(std::string_view text) noexcept {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return 0;
  int quality = (text[0] - '0') * 1000;
  if (text.size() > 1 && text[1] != '.') return 0;
  int unit = 100;
  for (std::size_t i = 2; i < text.size(); ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9') return 0;
    quality += (text[i] - '0') * unit;
  }
  return quality > 1000 ? 0 : quality;
}

// How closely a media range describes a media type: 3 the type itself, 2 "type/*", 1 "*/*", 0 not at all.
int specificity(std::string_view range, std::string_view type) noexcept {
  if (base::equals_ignoring_case(range, type)) return 3;
  if (range == "*/*") return 1;
  if (!range.ends_with("/*")) return 0;
  range.remove_suffix(1);
  return base::equals_ignoring_case(range, type.substr(0, range.size())) ? 2 : 0;
}

struct Preference {
  int specificity = 0;
  int quality = 0;
};

void read_accept(std::string_view list, std::string_view type, Preference& preference) noexcept {
  while (!list.empty()) {
    std::string_view element = http::take_element(list);
    const std::string_view range = multipart::take_media_type(element);
    const int fit = specificity(range, type);
    if (range.empty() || fit < preference.specificity || fit == 0) continue;
    int quality = 1000;
    multipart::ParameterReader reader(element);
    for (multipart::Parameter parameter; reader.next(parameter);) {
      if (base::equals_ignoring_case(parameter.name, "q")) quality = read_quality(parameter.value);
    }
    if (fit == preference.specificity && quality <= preference.quality) continue;
    preference = {fit, quality};
  }
}

}  // namespace

std::size_t http::preferred_type(const RequestFields& fields, std::span<const std::string_view> offered) noexcept {
  if (!fields.find("accept")) return offered.empty() ? no_type : 0;
  std::size_t best = no_type;
  int best_quality = 0;
  for (std::size_t i = 0; i < offered.size(); ++i) {
    Preference preference;
    for (const Field& each : fields) {
      if (base::equals_ignoring_case(each.name, "accept")) read_accept(each.value, offered[i], preference);
    }
    if (preference.quality <= best_quality) continue;
    best = i;
    best_quality = preference.quality;
  }
  return best;
}

std::string_view Request::accepts(std::initializer_list<std::string_view> offered) const noexcept {
  const std::size_t best = http::preferred_type(fields(), {offered.begin(), offered.size()});
  return best == http::no_type ? std::string_view() : offered.begin()[best];
}

}  // namespace tern
