// Types of values for configurations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tern {

// A number of bytes: "16 MiB" in a configuration. So are integer members with the word "bytes" in their name.
struct ByteSize {
  std::uint64_t bytes = 0;

  friend bool operator==(const ByteSize&, const ByteSize&) = default;
};

// A password, token or key. It is never printed, and comes from the environment, a file (DB_PASSWORD_FILE), a
// credential of systemd or the configuration file, but not from the command line, which other users can read.
class Secret {
public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  bool empty() const noexcept { return text_.empty(); }
  // The secret itself; the view lives until this object changes.
  std::string_view reveal() const noexcept { return text_; }

  friend bool operator==(const Secret&, const Secret&) = default;

private:
  std::string text_;
};

}  // namespace tern
