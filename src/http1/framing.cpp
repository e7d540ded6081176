#include "http1/framing.hpp"

#include "http/authority.hpp"
#include "http/list.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace tern::http1 {
namespace {

using base::equals_ignoring_case;

template <class Word>
Word word_at(const char* text) noexcept {
  Word word = 0;
  std::memcpy(&word, text, sizeof word);
  return word;
}

// `name` is a token of the same size as `lower`, which has only lower-case letters and hyphens. Setting the case bit
// therefore makes no two different characters equal. Compares words, the last of which may overlap.
template <std::size_t N>
bool names(std::string_view name, const char (&lower)[N]) noexcept {
  constexpr std::size_t size = N - 1;
  using Word = std::conditional_t<(size < 8), std::uint32_t, std::uint64_t>;
  constexpr auto case_bits = static_cast<Word>(0x2020202020202020U);
  Word different = 0;
  for (std::size_t at = 0; at < size; at += sizeof(Word)) {
    const std::size_t from = std::min(at, size - sizeof(Word));
    different |= (word_at<Word>(name.data() + from) | case_bits) ^ word_at<Word>(lower + from);
  }
  return different == 0;
}

// Content-Length = 1*DIGIT (RFC 9110, section 8.6). Nineteen digits fit into 64 bits; more are rejected.
Fault add_content_length(Framing& framing, std::string_view value) noexcept {
  if (framing.has(Framing::HasLength)) return Fault::TwoContentLengths;
  if (framing.has(Framing::Chunked)) return Fault::LengthAndEncoding;
  if (value.empty() || value.size() > 19) return Fault::ContentLength;
  std::uint64_t length = 0;
  for (const char c : value) {
    if (!base::is_digit(c)) return Fault::ContentLength;
    length = length * 10 + static_cast<std::uint64_t>(c - '0');
  }
  framing.length = length;
  framing.set(Framing::HasLength);
  return Fault::None;
}

// Transfer-Encoding = #transfer-coding (RFC 9112, section 6.1). If chunked is not the last coding, or occurs twice, the
// length of the content is unknown (section 6.3). Empty elements are rejected too: an intermediary may take them for
// another coding.
Fault check_codings(std::string_view value) noexcept {
  bool others = false;
  bool last = false;
  do {
    const bool ended = value.ends_with(',');
    const std::string_view coding = http::take_element(value);
    const std::string_view name = base::trim(coding.substr(0, coding.find(';')));
    if (last || ended || !base::is_token(name)) return Fault::TransferEncoding;
    last = equals_ignoring_case(coding, "chunked");
    others = others || !last;
  } while (!value.empty());
  if (!last) return Fault::TransferEncoding;
  return others ? Fault::UnknownTransferCoding : Fault::None;
}

Fault add_transfer_encoding(Framing& framing, std::string_view value) noexcept {
  if (framing.version == Version::Http10) return Fault::EncodingOnHttp10;
  if (framing.has(Framing::Chunked)) return Fault::TwoTransferEncodings;
  if (framing.has(Framing::HasLength)) return Fault::LengthAndEncoding;
  const Fault fault = check_codings(value);
  if (fault == Fault::None) framing.set(Framing::Chunked);
  return fault;
}

Fault add_host(Framing& framing, std::string_view value) noexcept {
  if (framing.has(Framing::HasHost)) return Fault::TwoHosts;
  framing.set(Framing::HasHost);
  return http::is_authority(value) ? Fault::None : Fault::HostSyntax;
}

// Connection = #connection-option (RFC 9110, section 7.6.1).
Fault add_connection(Framing& framing, std::string_view value) noexcept {
  while (!value.empty()) {
    const std::string_view option = http::take_element(value);
    if (option.empty()) continue;
    if (!base::is_token(option)) return Fault::ConnectionSyntax;
    if (equals_ignoring_case(option, "close")) framing.set(Framing::Close);
    if (equals_ignoring_case(option, "keep-alive")) framing.set(Framing::KeepAlive);
    if (equals_ignoring_case(option, "upgrade")) framing.set(Framing::UpgradeOption);
  }
  return Fault::None;
}

// RFC 9110, section 10.1.1: an expectation is ignored on HTTP/1.0; an unknown one is answered with 417.
Fault add_expect(Framing& framing, std::string_view value) noexcept {
  if (framing.version == Version::Http10) return Fault::None;
  const http::Expectation expectation = http::read_expectation(value);
  if (expectation == http::Expectation::Unknown) return Fault::UnknownExpectation;
  if (expectation == http::Expectation::Continue) framing.set(Framing::Continue);
  return Fault::None;
}

}  // namespace

Fault Framing::add_framing_field(std::string_view name, std::string_view value) noexcept {
  switch (name.size()) {
    case 4:
      if (names(name, "host")) return add_host(*this, value);
      break;
    case 6:
      if (names(name, "expect")) return add_expect(*this, value);
      break;
    case 7:
      if (names(name, "upgrade")) set(HasUpgrade);
      break;
    case 10:
      if (names(name, "connection")) return add_connection(*this, value);
      break;
    case 14:
      if (names(name, "content-length")) return add_content_length(*this, value);
      break;
    case 17:
      if (names(name, "transfer-encoding")) return add_transfer_encoding(*this, value);
      break;
    default: break;
  }
  return Fault::None;
}

Fault Framing::validate() const noexcept {
  return version == Version::Http11 && !has(HasHost) ? Fault::NoHost : Fault::None;
}

}  // namespace tern::http1
