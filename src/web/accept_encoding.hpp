// Negotiation of the content coding by Accept-Encoding (RFC 9110, section 12.5.3).
#pragma once

#include <tern/http/fields.hpp>
#include <tern/web/content_coding.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace tern::web {

// The name in Content-Encoding and Accept-Encoding: "gzip", "br", "zstd", "identity".
std::string_view name_of(ContentCoding coding) noexcept;
// The coding of that name, in any case; "x-gzip" is gzip (section 8.4.1.3). Unset for others.
std::optional<ContentCoding> find_coding(std::string_view name) noexcept;

// The coding for the response to a request with these fields, among `available` and Identity, which is always
// available. The highest q-value wins; of equals, the earlier in `available`. Identity without a place in `available`
// comes last, and so does an Identity that the client does not mention. Without an Accept-Encoding field: Identity.
// Unset if the client refuses Identity and accepts nothing in `available`.
//
// Malformed elements are ignored; of several for one coding, the highest q-value counts. The time is linear in the
// size of the fields.
std::optional<ContentCoding> negotiate_coding(const RequestFields& fields,
                                              std::span<const ContentCoding> available) noexcept;

// Whether the client accepts that coding, with any q-value but 0.
bool accepts_coding(const RequestFields& fields, ContentCoding coding) noexcept;

}  // namespace tern::web
