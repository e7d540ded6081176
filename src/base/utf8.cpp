#include <tern/base/utf8.hpp>

#include "base/utf8_checker.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tern::base {
namespace {

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

constexpr std::uint64_t high_bits = 0x8080808080808080ULL;

// From this length on, the vectorised checker pays for its call.
constexpr std::size_t long_text = 64;

// The length of the well-formed sequence that begins at `at`, or 0 (RFC 3629, section 4).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t left = text.size() - at;
  if (first < 0x80) return 1;
  const auto second = left > 1 ? static_cast<unsigned char>(text[at + 1]) : 0U;
  if (first >= 0xC2 && first <= 0xDF) return left >= 2 && is_continuation(text[at + 1]) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return left >= 3 && second >= low && second <= high && is_continuation(text[at + 2]) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return left >= 4 && second >= low && second <= high && is_continuation(text[at + 2]) &&
                   is_continuation(text[at + 3])
               ? 4
               : 0;
  }
  return 0;
}

// The size of the sequence that begins with `first`; 0 if it begins none.
std::size_t announced_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0x80) return 1;
  if (byte < 0xC2 || byte > 0xF4) return 0;
  return byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Whether `text`, shorter than its first byte announces, can be completed to a valid sequence. The second byte decides:
// the smallest continuations are as good as any others.
bool can_be_completed(std::string_view text) {
  std::array<char, 4> filled = {text.front(), '\x80', '\x80', '\x80'};
  const std::size_t length = announced_length(text.front());
  if (length == 0) return false;
  if (text.size() == 1) return true;
  std::ranges::copy(text, filled.begin());
  return sequence_length({filled.data(), length}, 0) == length;
}

// The begin of the incomplete sequence at the end of `text`; the size of the text if there is none.
std::size_t cut_sequence(std::string_view text) {
  const std::size_t reach = std::min<std::size_t>(3, text.size());
  for (std::size_t back = 1; back <= reach; ++back) {
    const char c = text[text.size() - back];
    if (is_continuation(c)) continue;
    return announced_length(c) > back ? text.size() - back : text.size();
  }
  return text.size();
}

std::uint64_t load_word(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// The last word overlaps the previous one, so that no byte is checked alone.
bool is_short_ascii(std::string_view text) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  std::uint64_t bits = 0;
  if (text.size() < word) {
    for (const char c : text) bits |= static_cast<unsigned char>(c);
    return (bits & 0x80U) == 0;
  }
  for (std::size_t at = 0; at + word <= text.size(); at += word) bits |= load_word(text.data() + at);
  bits |= load_word(text.data() + (text.size() - word));
  return (bits & high_bits) == 0;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  if (text.size() >= long_text) return simdjson::validate_utf8(text.data(), text.size());
  if (is_short_ascii(text)) return true;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (rest.size() >= sizeof(std::uint64_t) && (load_word(rest.data()) & high_bits) == 0) {
      at += sizeof(std::uint64_t);
      continue;
    }
    const std::size_t length = static_cast<unsigned char>(rest[0]) < 0x80 ? 1 : sequence_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

bool Utf8Checker::feed(std::string_view piece) noexcept {
  if (pending_size_ != 0 && !finish_pending(piece)) return false;
  if (piece.empty()) return true;
  const std::size_t end = cut_sequence(piece);
  if (!is_utf8(piece.substr(0, end))) return false;
  const std::string_view rest = piece.substr(end);
  if (rest.empty()) return true;
  pending_size_ = std::min(rest.size(), pending_.size());  // at most three
  std::memcpy(pending_.data(), rest.data(), pending_size_);
  return can_be_completed(rest);
}

// Removes from `piece` the rest of the sequence that began before it.
bool Utf8Checker::finish_pending(std::string_view& piece) noexcept {
  const std::size_t length = announced_length(pending_.front());
  const std::size_t taken = std::min(length - pending_size_, piece.size());
  for (std::size_t i = 0; i < taken; ++i) pending_.at(pending_size_ + i) = piece[i];
  piece.remove_prefix(taken);
  pending_size_ += taken;
  const std::string_view sequence(pending_.data(), pending_size_);
  if (pending_size_ < length) return can_be_completed(sequence);
  pending_size_ = 0;
  return sequence_length(sequence, 0) == length;
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

}  // namespace tern::base
