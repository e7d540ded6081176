#include "redis/envelope.hpp"

#include <cstddef>
#include <cstdint>
#include <random>

namespace tern::redis {
namespace {

constexpr char version = 1;
constexpr std::size_t sender_size = std::tuple_size_v<Sender>;
constexpr std::size_t length_size = 4;
constexpr std::size_t head_size = 2 + sender_size + length_size;

}  // namespace

Sender random_sender() {
  std::random_device device;
  Sender sender{};
  for (char& c : sender) c = static_cast<char>(device() & 0xFFU);
  return sender;
}

std::string to_hex(const Sender& sender) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string name;
  for (const char c : sender) {
    const auto byte = static_cast<unsigned char>(c);
    name += digits[byte >> 4U];
    name += digits[byte & 15U];
  }
  return name;
}

std::string encode_envelope(const Sender& sender, const Publication& publication) {
  std::string bytes;
  bytes.reserve(head_size + publication.topic.size() + publication.content.size());
  bytes += version;
  bytes += publication.is_text ? '\0' : '\1';
  bytes.append(sender.data(), sender.size());
  const auto length = static_cast<std::uint32_t>(publication.topic.size());
  for (unsigned shift = 32; shift != 0;) bytes += static_cast<char>(length >> (shift -= 8) & 0xFFU);
  bytes += publication.topic;
  bytes += publication.content;
  return bytes;
}

std::optional<Envelope> decode_envelope(std::string_view bytes) noexcept {
  if (bytes.size() < head_size || bytes[0] != version || (bytes[1] != '\0' && bytes[1] != '\1')) return std::nullopt;
  Envelope envelope;
  envelope.publication.is_text = bytes[1] == '\0';
  envelope.sender = bytes.substr(2, sender_size);
  std::uint32_t length = 0;
  for (const char c : bytes.substr(2 + sender_size, length_size)) length = length << 8U | static_cast<unsigned char>(c);
  bytes.remove_prefix(head_size);
  if (length > bytes.size()) return std::nullopt;
  envelope.publication.topic = bytes.substr(0, length);
  envelope.publication.content = bytes.substr(length);
  return envelope;
}

}  // namespace tern::redis
