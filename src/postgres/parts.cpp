#include "postgres/parts.hpp"

#include "base/base64.hpp"

#include <tern/base/number.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace tern::postgres {
namespace {

constexpr std::size_t part_bytes = 5700;  // 7,600 in base64, and the head
constexpr std::size_t max_senders = 1024;

// Unset if it is none.
std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  while (!text.empty()) {
    const bool last = text.size() == 4;
    const std::size_t padding = last ? static_cast<std::size_t>(std::ranges::count(text, '=')) : 0;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t digit = i < 4 - padding ? digits.find(text[i]) : 0;
      if (digit == std::string_view::npos) return std::nullopt;
      bits = bits << 6U | static_cast<std::uint32_t>(digit);
    }
    if (padding > 2) return std::nullopt;
    for (std::size_t i = 0; i + padding < 3; ++i) bytes += static_cast<char>(bits >> (16 - 8 * i) & 255U);
    text.remove_prefix(4);
  }
  return bytes;
}

struct Part {
  std::string_view sender;
  std::string_view number;
  std::size_t index = 0;
  std::size_t count = 0;
  bool is_text = true;
  std::string bytes;
};

std::optional<Part> parse(std::string_view payload) {
  std::array<std::string_view, 5> fields;
  for (std::string_view& field : fields) {
    const std::size_t end = payload.find('.');
    if (end == std::string_view::npos) return std::nullopt;
    field = payload.substr(0, end);
    payload.remove_prefix(end + 1);
  }
  const auto index = base::parse_integer<std::uint32_t>(fields[2]);
  const auto count = base::parse_integer<std::uint32_t>(fields[3]);
  auto bytes = from_base64(payload);
  if (!index || !count || *index >= *count || !bytes || (fields[4] != "t" && fields[4] != "b")) return std::nullopt;
  return Part{fields[0], fields[1], *index, *count, fields[4] == "t", std::move(*bytes)};
}

}  // namespace

std::vector<std::string> divide(const Publication& publication, std::string_view sender, std::uint64_t number) {
  std::string bytes(publication.topic);
  bytes += '\0';
  bytes += publication.content;
  const std::size_t count = (bytes.size() + part_bytes - 1) / part_bytes;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string& part = parts.emplace_back(sender);
    part += '.';
    base::append_integer(part, number);
    part += '.';
    base::append_integer(part, i);
    part += '.';
    base::append_integer(part, count);
    part += publication.is_text ? ".t." : ".b.";
    part += base::to_base64(std::string_view(bytes).substr(i * part_bytes, part_bytes));
  }
  return parts;
}

bool Assembly::add(std::string_view payload, std::string_view own,
                   const std::function<void(const Publication&)>& deliver) {
  if (payload.substr(0, payload.find('.')) == own) return true;
  std::optional<Part> part = parse(payload);
  if (!part) return false;
  std::string bytes;
  if (part->count == 1) {
    bytes = std::move(part->bytes);
  } else {
    if (unfinished_.size() >= max_senders) unfinished_.clear();
    Unfinished& publication = unfinished_[std::string(part->sender)];
    if (part->index == 0) publication = {std::string(part->number), 0, {}};
    // What begins before this server listens is not complete.
    if (publication.number != part->number || publication.parts != part->index) return true;
    ++publication.parts;
    publication.bytes += part->bytes;
    if (publication.bytes.size() > max_bytes_) publication = {};
    if (part->index + 1 != part->count || publication.parts != part->count) return true;
    bytes = std::move(publication.bytes);
    unfinished_.erase(unfinished_.find(part->sender));
  }
  const std::size_t end = bytes.find('\0');
  if (end == std::string::npos) return false;
  const std::string_view all = bytes;
  deliver({all.substr(0, end), all.substr(end + 1), part->is_text});
  return true;
}

}  // namespace tern::postgres
