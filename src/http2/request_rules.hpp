// Detects malformed requests (RFC 9113, sections 8.2 and 8.3; RFC 8441, section 4). nghttp2 could do so as well, but
// would then decode cached blocks too.
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

// The priority after a Priority field with this value, given the priority `before` it. Unknown members are ignored; if
// all are, the result is `before`.
std::optional<Priority> parse_priority(std::string_view value, std::optional<Priority> before) noexcept;

// Validates one header block at a time.
class RequestRules {
public:
  enum class Verdict : std::uint8_t {
    Good,
    Invalid,    // invalid characters in a name or value: the request is rejected with a response
    Malformed,  // the stream is reset
  };

  // `extended_connect`: clients may use `:protocol`.
  explicit RequestRules(bool extended_connect) noexcept : extended_connect_(extended_connect) {}

  void begin(bool trailers) noexcept;
  // Validates a field. The name of a `literal` one is known to be valid.
  Verdict field(std::string_view name, bool literal, std::string_view value) noexcept;
  // After the last field: whether all required pseudo-fields were present.
  bool complete() const noexcept;

  // The announced length of the content. Unset for CONNECT, which has none.
  std::optional<std::uint64_t> length() const noexcept;
  const std::optional<Priority>& priority() const noexcept { return priority_; }

private:
  // Fields and properties found so far.
  enum Seen : std::uint16_t {
    Authority = 1,
    MethodField = 2,
    Path = 4,
    Scheme = 8,
    Protocol = 16,
    Host = 32,
    Plain = 64,  // a regular field
    Connect = 128,
    Options = 256,
    HttpScheme = 512,
    Slash = 1024,     // the path begins with "/"
    Asterisk = 2048,  // the path is "*"
  };

  bool has(Seen what) const noexcept { return (seen_ & what) != 0; }
  // False if it was set before.
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
