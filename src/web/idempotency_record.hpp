// What a store has under an idempotency key: a fingerprint of the request, and perhaps its response.
#pragma once

#include <tern/http/response.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern::web {

// In the store: state (1 byte), fingerprint (32), and of a response: status (2, big-endian), size of the fields (4),
// fields as "name: value CRLF", content.
struct IdempotencyRecord {
  enum class State : std::uint8_t {
    Running = 1,
    Responded = 2,
    Unrepeatable = 3,  // it has responded, and the response could not be stored
  };
  static constexpr std::size_t fingerprint_size = 32;

  State state = State::Running;
  std::string_view fingerprint = {};
  Response response = {};

  // `text` outlives the record. Unset for what is no record.
  static std::optional<IdempotencyRecord> parse(std::string_view text);
};

std::string running_record(std::string_view fingerprint);
std::string unrepeatable_record(std::string_view fingerprint);
// With Content-Type, and without Set-Cookie.
std::string response_record(std::string_view fingerprint, const Response& response);

}  // namespace tern::web
