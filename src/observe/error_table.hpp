// The error lines of requests, with counts: what the dashboard shows of errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tern::observe {

// A text that was logged for requests of a method and route.
struct ErrorRow {
  std::string text;
  std::string method;
  std::string route;  // empty: none
  std::uint64_t count = 0;
  std::int64_t last = 0;  // in milliseconds since 1970
};

// Bounded: a text that is new takes the place of the one that has not been logged for longest. From any thread.
class ErrorTable {
public:
  static constexpr std::size_t max_rows = 100;
  static constexpr std::size_t max_text = 300;  // bytes that are kept of a text

  // Without memory, it is not counted.
  void count(std::string_view text, std::string_view method, std::string_view route, std::int64_t now) noexcept;
  // The most frequent first.
  std::vector<ErrorRow> rows() const;
  void clear() noexcept;

private:
  mutable std::mutex mutex_;  // for the next
  std::vector<ErrorRow> rows_;
};

}  // namespace tern::observe
