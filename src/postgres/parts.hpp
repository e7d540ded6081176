// The notifications of a publication. A payload is text of less than 8,000 bytes, so that a publication is encoded in
// base64, and divided:
//
//   payload = sender(16 hexadecimal digits) "." number "." part "." parts "." kind("t" or "b") "." base64
//   bytes   = topic NUL content
//
// The sender is random for each start of a server; the number counts its publications. The database delivers the
// notifications of one transaction together and in their order, so that parts of one sender need no sorting.
#pragma once

#include <tern/http/bus.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tern::postgres {

std::vector<std::string> divide(const Publication& publication, std::string_view sender, std::uint64_t number);

// Puts the parts together.
class Assembly {
public:
  // Larger publications are ignored.
  explicit Assembly(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {}

  // Calls `deliver` when a publication is complete, unless its sender is `own`. False if the payload is malformed.
  bool add(std::string_view payload, std::string_view own, const std::function<void(const Publication&)>& deliver);
  // Parts that have arrived have no others.
  void clear() noexcept { unfinished_.clear(); }

private:
  struct Unfinished {
    std::string number;
    std::size_t parts = 0;  // that have arrived
    std::string bytes;
  };

  std::size_t max_bytes_;
  std::map<std::string, Unfinished, std::less<>> unfinished_;  // by sender
};

}  // namespace tern::postgres
