// Lines of the access log: Apache's common and combined formats, JSON and logfmt.
#pragma once

#include <tern/http/log_options.hpp>
#include <tern/http/request.hpp>
#include <tern/http/status.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tern::logging {

// "10/Oct/2000:13:55:36 +0000" for seconds since 1970: UTC, so that no loop reads the time zone.
void append_log_time(std::string& out, std::int64_t unix_seconds);

struct AccessEntry {
  std::string_view remote;
  std::string_view time;  // from append_log_time
  Status status = Status::Ok;
  std::size_t bytes = 0;           // of content
  std::uint64_t microseconds = 0;  // from the head to the answer
};

// Appends one line with its line feed. Text from the client is escaped, so that it cannot forge lines. Values of
// parameters whose names are secret (http::is_secret()) are redacted.
void append_access_line(std::string& out, AccessLog format, const AccessEntry& entry, const Request& request,
                        std::span<const std::string> secrets = {});

// `target` without the values of secret parameters of its query; nothing if there are none.
std::optional<std::string> redacted_target(std::string_view target, std::span<const std::string> secrets);

}  // namespace tern::logging
