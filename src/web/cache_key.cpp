#include "web/cache_key.hpp"

#include "web/accept_encoding.hpp"

#include <tern/base/ascii.hpp>

namespace tern::web {
namespace {

// One digit: the set of accepted codings. Clients write the same set in many ways.
char accepted_codings(const RequestFields& fields) noexcept {
  unsigned set = negotiate_coding(fields, {}) ? 1U : 0U;
  unsigned bit = 2;
  for (const ContentCoding coding : {ContentCoding::Gzip, ContentCoding::Brotli, ContentCoding::Zstd}) {
    if (accepts_coding(fields, coding)) set |= bit;
    bit *= 2;
  }
  return static_cast<char>('A' + set);
}

}  // namespace

std::string primary_key(const Request& request) {
  std::string key(request.scheme());
  key += '\n';
  for (const char c : request.host()) key += base::to_lower(c);
  key.append("\n").append(request.listener()).append("\n").append(request.route());
  return key.append("\n").append(request.path()).append("?").append(request.query());
}

void append_field_values(std::string& key, const Request& request, std::span<const std::string> fields) {
  for (const std::string& name : fields) {
    key += '\n';
    if (base::equals_ignoring_case(name, "accept-encoding")) {
      key += accepted_codings(request.fields());
      continue;
    }
    for (const Field& field : request.fields()) {
      if (base::equals_ignoring_case(field.name, name)) key.append("\r").append(field.value);
    }
  }
}

}  // namespace tern::web
