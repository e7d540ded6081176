// Dates in HTTP's format (RFC 9110, section 5.6.7).
#pragma once

#include <cstdint>
#include <string>

namespace tern {

// Appends an IMF-fixdate ("Sun, 06 Nov 1994 08:49:37 GMT") for seconds since 1970-01-01T00:00:00Z, from the year 1970
// to 9999.
void append_imf_fixdate(std::string& out, std::int64_t unix_seconds);

}  // namespace tern
