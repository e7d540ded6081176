#include "web/idempotency_record.hpp"

#include <tern/base/ascii.hpp>

#include <stdexcept>
#include <utility>

namespace tern::web {
namespace {

using State = IdempotencyRecord::State;

constexpr std::size_t head_size = 1 + IdempotencyRecord::fingerprint_size;
constexpr std::size_t sizes_size = 2 + 4;

std::string record_head(State state, std::string_view fingerprint) {
  std::string text(1, static_cast<char>(state));
  return text.append(fingerprint);
}

void append_big_endian(std::string& out, std::uint64_t value, unsigned bytes) {
  while (bytes-- > 0) out.push_back(static_cast<char>(value >> (8 * bytes) & 0xFFU));
}

std::uint64_t big_endian(std::string_view bytes) noexcept {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

bool read_fields(Response& response, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find("\r\n");
    const std::size_t colon = text.find(": ");
    if (end == text.npos || colon == text.npos || colon > end) return false;
    response.add(text.substr(0, colon), text.substr(colon + 2, end - colon - 2));
    text.remove_prefix(end + 2);
  }
  return true;
}

bool read_response(Response& response, std::string_view text) {
  if (text.size() < sizes_size) return false;
  const std::uint64_t status = big_endian(text.substr(0, 2));
  const std::uint64_t fields = big_endian(text.substr(2, 4));
  text.remove_prefix(sizes_size);
  if (status < 200 || status > 599 || fields > text.size()) return false;
  response.status(static_cast<Status>(status));
  response.content(std::string(text.substr(fields)));
  return read_fields(response, text.substr(0, fields));
}

}  // namespace

std::optional<IdempotencyRecord> IdempotencyRecord::parse(std::string_view text) {
  if (text.size() < head_size) return std::nullopt;
  const auto state = static_cast<State>(text.front());
  IdempotencyRecord record{.state = state, .fingerprint = text.substr(1, fingerprint_size)};
  const std::string_view rest = text.substr(head_size);
  switch (state) {
    case State::Running:
    case State::Unrepeatable: return rest.empty() ? std::optional(std::move(record)) : std::nullopt;
    case State::Responded: break;
    default: return std::nullopt;
  }
  try {
    if (read_response(record.response, rest)) return record;
  } catch (const std::invalid_argument&) {  // no field of a response
  }
  return std::nullopt;
}

std::string running_record(std::string_view fingerprint) {
  return record_head(State::Running, fingerprint);
}

std::string unrepeatable_record(std::string_view fingerprint) {
  return record_head(State::Unrepeatable, fingerprint);
}

std::string response_record(std::string_view fingerprint, const Response& response) {
  Fields fields = response.fields();
  fields.remove("set-cookie");
  if (const auto type = response.field("content-type")) fields.set("content-type", *type);
  std::string text = record_head(State::Responded, fingerprint);
  append_big_endian(text, static_cast<std::uint64_t>(code(response.status())), 2);
  append_big_endian(text, fields.text().size(), 4);
  return text.append(fields.text()).append(response.content());
}

}  // namespace tern::web
