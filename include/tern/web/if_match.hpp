// Preconditions of requests that change something (RFC 9110, section 13.1.1; RFC 6585, section 3).
#pragma once

#include <tern/app/contract.hpp>
#include <tern/app/extract.hpp>

#include <concepts>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

// The ETag of a version: "\"7\"".
std::string version_tag(std::uint64_t version);

// The If-Match of a request, against lost updates: a client changes only what no other client has changed since it was
// read.
//
//   app.put("/books/{id}", [](int id, tern::IfMatch match, tern::Json<Book> book) -> tern::Response {
//     match.require(version_of(id));                       // 412 unless the client has read this version
//     return tern::Response().set("ETag", tern::version_tag(replace(id, *book)));
//   });
//
// A request without If-Match gets 428; std::optional<IfMatch> lets it pass. Check and change have to be one step
// (a transaction, a lock, "update … where version = …"): two clients may have read the same version.
class IfMatch {
public:
  explicit IfMatch(const Request& request) noexcept : request_(&request) {}

  // Whether `current`, the ETag of what is there, is one of the field's. With its quotes; a weak one (W/"…") never
  // matches. Unset: there is nothing, and nothing matches, not even "*". Throws std::invalid_argument for text that is
  // no ETag.
  bool matches(std::optional<std::string_view> current) const;
  bool matches(std::unsigned_integral auto version) const { return matches_version(version); }
  bool matches(std::signed_integral auto version) const { return matches_version(static_cast<std::uint64_t>(version)); }
  // Throws HttpError with 412 unless it matches.
  void require(std::optional<std::string_view> current) const { require_that(matches(current)); }
  void require(std::integral auto version) const { require_that(matches(version)); }

private:
  bool matches_version(std::uint64_t version) const { return matches(std::string_view(version_tag(version))); }
  static void require_that(bool holds);

  const Request* request_;
};

template <>
struct Extract<IfMatch> {
  static std::expected<IfMatch, Rejection> from(Request& request);
  static void describe(Operation& operation);
};

}  // namespace tern
