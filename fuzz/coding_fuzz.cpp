// Fuzzes the decoders of content codings, and the negotiation of one: any bytes in any pieces. Nothing may crash or
// write too far, and two decodings that differ only in the pieces must agree.
// script/fuzz runs it.
#include "web/accept_encoding.hpp"
#include "web/decoder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using tern::http::ContentDecoder;
using State = ContentDecoder::State;

constexpr std::size_t max_decoded = 1024 * 1024;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Outcome {
  std::string content;
  bool failed = false;
  bool complete = false;
};

// Decodes the input in pieces of at most `piece` bytes, `room` bytes at a time.
Outcome decode(const std::vector<std::string_view>& codings, std::string_view input, std::size_t piece,
               std::size_t room) {
  const auto decoder = tern::web::make_decoder(codings, max_decoded);
  Outcome outcome;
  const auto out = std::make_unique<char[]>(room);  // of the exact size, for the sanitizer
  bool has_more = false;
  while (outcome.content.size() < max_decoded && !outcome.failed && (has_more || !input.empty())) {
    const std::string_view all = input.substr(0, piece);
    const auto exact = std::make_unique<char[]>(all.size());
    all.copy(exact.get(), all.size());
    std::string_view rest(exact.get(), all.size());
    const auto decoded = decoder->decode(rest, out.get(), room);
    require(decoded.size <= room && rest.size() <= all.size());
    input.remove_prefix(all.size() - rest.size());
    has_more = decoded.state == State::HasMore;
    outcome.failed = !has_more && decoded.state != State::NeedsInput;
    require(decoded.state != State::OutOfMemory);
    if (!outcome.failed) outcome.content.append(out.get(), decoded.size);
  }
  outcome.complete = !outcome.failed && decoder->complete();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  tern::RequestFields fields;
  fields.add("accept-encoding", input);
  constexpr tern::web::ContentCoding available[] = {tern::web::ContentCoding::Zstd, tern::web::ContentCoding::Gzip};
  static_cast<void>(tern::web::negotiate_coding(fields, available));

  constexpr std::string_view names[] = {"gzip", "deflate", "br", "zstd"};
  std::vector<std::string_view> codings = {names[data[0] % 4]};
  if (data[0] & 4U) codings.push_back(names[(data[0] >> 3U) % 4]);
  const Outcome whole = decode(codings, input, input.size(), 32 * 1024);
  const Outcome pieces = decode(codings, input, 1 + data[1] % 16U, 1 + data[1] / 4U);
  if (whole.failed || pieces.failed || whole.content.size() >= max_decoded) return 0;
  require(whole.complete == pieces.complete);
  // Of a truncated content, a decoder may keep output back.
  const std::size_t common = std::min(whole.content.size(), pieces.content.size());
  require(whole.content.compare(0, common, pieces.content, 0, common) == 0);
  require(!whole.complete || whole.content.size() == pieces.content.size());
  return 0;
}
