// Which requests are malformed (RFC 9113, sections 8.2 and 8.3; RFC 8441, section 4). nghttp2 could look after that as
// well, but then for every block, those included that are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tern::http2 {

// RFC 9218, section 4.
struct Priority {
  std::uint8_t urgency = 3;
  bool incremental = false;

  bool operator==(const Priority&) const = default;
};

// What a Priority field makes of what those `before` it have made. What is not understood is passed over: where that is
// all of it, nothing changes.
std::optional<Priority> parse_priority(std::string_view value, std::optional<Priority> before) noexcept;

// Looks at one header block at a time.
class RequestRules {
public:
  enum class Verdict : std::uint8_t {
    Good,
    Unfit,      // name or value holds what they may not: the request is not served, but its client gets an answer
    Malformed,  // the stream ends
  };

  // `extended_connect`: clients may use `:protocol`.
  explicit RequestRules(bool extended_connect) noexcept : extended_connect_(extended_connect) {}

  void begin(bool trailers) noexcept;
  // A field. The name of one that is `literal` is known to be good.
  Verdict field(std::string_view name, bool literal, std::string_view value) noexcept;
  // Behind the last field: whether a request has the pseudo-fields that it must have.
  bool complete() const noexcept;

  // What is announced of the content. Nothing for a CONNECT, which has none.
  std::optional<std::uint64_t> length() const noexcept;
  const std::optional<Priority>& priority() const noexcept { return priority_; }

private:
  // What was there, or what is so.
  enum Seen : std::uint16_t {
    Authority = 1,
    MethodField = 2,
    Path = 4,
    Scheme = 8,
    Protocol = 16,
    Host = 32,
    Plain = 64,  // a field that is no pseudo-field
    Connect = 128,
    Options = 256,
    HttpScheme = 512,
    Slash = 1024,     // the path begins with it
    Asterisk = 2048,  // is the path
  };

  bool has(Seen what) const noexcept { return (seen_ & what) != 0; }
  // False when it was there before.
  bool once(Seen what) noexcept;
  Verdict pseudo_field(std::string_view name, std::string_view value) noexcept;
  Verdict plain_field(std::string_view name, std::string_view value) noexcept;

  bool extended_connect_;
  bool trailers_ = false;
  std::uint16_t seen_ = 0;
  std::optional<std::uint64_t> length_;
  std::optional<Priority> priority_;
};

}  // namespace tern::http2
