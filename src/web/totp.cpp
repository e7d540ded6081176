#include <tern/web/totp.hpp>

#include "base/random.hpp"
#include "web/clock.hpp"
#include "web/digest.hpp"
#include "web/openssl.hpp"

#include <tern/base/ascii.hpp>

#include <openssl/hmac.h>

#include <array>
#include <stdexcept>

namespace tern {
namespace {

constexpr std::string_view base32_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";  // RFC 4648, section 6
constexpr std::int64_t totp_step = 30;
constexpr std::size_t totp_digits = 6;
constexpr std::size_t totp_secret_size = 20;

std::string to_base32(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char byte : bytes) {
    bits = bits << 8U | static_cast<unsigned char>(byte);
    for (count += 8; count >= 5; count -= 5) text.push_back(base32_digits[bits >> (count - 5) & 31U]);
  }
  if (count > 0) text.push_back(base32_digits[bits << (5 - count) & 31U]);
  return text;
}

// Without padding; blanks and lower case, as people type it.
std::optional<std::string> from_base32(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    if (c == ' ') continue;
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    const std::size_t value = base32_digits.find(upper);
    if (value == base32_digits.npos) return std::nullopt;
    bits = bits << 5U | static_cast<std::uint32_t>(value);
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xFFU));
  }
  if (bytes.empty()) return std::nullopt;
  return bytes;
}

// RFC 4226, section 5.3.
std::string hotp(std::string_view secret, std::uint64_t counter) {
  std::array<unsigned char, 8> text{};
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<unsigned char>(counter >> (56 - 8 * i));
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  unsigned int size = 0;
  if (HMAC(EVP_sha1(), secret.data(), static_cast<int>(secret.size()), text.data(), text.size(), mac.data(), &size) ==
      nullptr) {
    throw std::runtime_error("OpenSSL has no HMAC-SHA-1");
  }
  const std::size_t at = mac[size - 1] & 15U;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8U | mac[at + i];
  number &= 0x7FFF'FFFFU;
  std::string code(totp_digits, '0');
  for (std::size_t i = totp_digits; i-- > 0; number /= 10) code[i] = static_cast<char>('0' + number % 10);
  return code;
}

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  for (const char c : text) {
    if (base::is_alpha(c) || base::is_digit(c) || std::string_view("-._~").contains(c)) {
      out.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out.append("%").push_back(hex[byte >> 4U]);
      out.push_back(hex[byte & 15U]);
    }
  }
}

}  // namespace

std::string generate_totp_secret() {
  return to_base32(base::random_bytes(totp_secret_size));
}

std::string totp_uri(std::string_view secret, std::string_view issuer, std::string_view account) {
  std::string uri = "otpauth://totp/";
  append_escaped(uri, issuer);
  uri += ':';
  append_escaped(uri, account);
  uri.append("?secret=").append(secret).append("&issuer=");
  append_escaped(uri, issuer);
  return uri;
}

std::optional<std::int64_t> verify_totp(std::string_view secret, std::string_view code, std::int64_t last_step,
                                        std::optional<std::int64_t> now) {
  const auto bytes = from_base32(secret);
  if (!bytes) return std::nullopt;
  const std::int64_t current = now.value_or(web::unix_time()) / totp_step;
  std::optional<std::int64_t> found;
  for (std::int64_t step = current - 1; step <= current + 1; ++step) {
    const bool matches = web::equal_in_constant_time(hotp(*bytes, static_cast<std::uint64_t>(step)), code);
    if (matches && step > last_step) found = step;
  }
  return found;
}

}  // namespace tern
