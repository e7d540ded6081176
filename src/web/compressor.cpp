#include "web/compressor.hpp"

#include "web/accept_encoding.hpp"
#include "web/compressible.hpp"
#include "web/compressing_producer.hpp"
#include "web/field_list.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <exception>
#include <random>
#include <stdexcept>
#include <utility>

namespace tern::web {
namespace {

constexpr std::size_t max_at_once = 64 * 1024;  // up to 2 ms

// Digests cover the coded content (RFC 9530), and a range is one of the content as it is.
bool is_final(const Response& response) {
  for (const std::string_view name :
       {"content-encoding", "content-range", "content-digest", "repr-digest", "digest", "content-md5"}) {
    if (response.fields().find(name)) return true;
  }
  return has_element(response, "cache-control", "no-transform");
}

bool has_content(const Response& response) {
  if (response.producer() != nullptr) return true;
  return !response.content().empty();
}

bool may_have_content(Status status) noexcept {
  return code(status) >= 200 && status != Status::NoContent && status != Status::ResetContent &&
         status != Status::PartialContent && status != Status::NotModified;
}

void weaken_etag(Response& response) {
  const auto tag = response.fields().find("etag");
  if (tag && tag->starts_with('"')) response.set("etag", "W/" + std::string(*tag));
}

// A 304 has the fields of the 200 that the client has stored (RFC 9110, section 15.4.5). If that was compressed, the
// client has named its weak tag.
void amend_not_modified(const Request& request, Response& response, std::span<const std::string> more) {
  const auto type = response.field("content-type");
  if (is_final(response) || (type && !is_compressible(*type, more))) return;
  add_vary(response, "accept-encoding");
  const auto tag = response.fields().find("etag");
  if (!tag || !tag->starts_with('"')) return;
  const std::string weak = "W/" + std::string(*tag);
  const auto names_it = [&weak](const Field& field) {
    return base::equals_ignoring_case(field.name, "if-none-match") && field.value.contains(weak);
  };
  if (std::ranges::any_of(request.fields(), names_it)) response.set("etag", weak);
}

void check(bool valid, const char* text) {
  if (!valid) throw std::invalid_argument(text);
}

// Everything that may throw. Content-Encoding comes last.
void amend_fields(Response& response, ContentCoding coding) {
  // The type of text() depends on its content, which is about to change.
  const std::string_view type = response.literal_type();
  if (!type.empty()) response.set("content-type", type);
  weaken_etag(response);
  response.remove("accept-ranges");
  response.set("content-encoding", name_of(coding));
}

}  // namespace

bool refuses_identity(const Request& request) noexcept {
  return !negotiate_coding(request.fields(), {});
}

Compressor::Compressor(CompressOptions options) : options_(std::move(options)) {
  check(options_.gzip_level >= 1 && options_.gzip_level <= 9, "Compress: gzip_level is 1 to 9");
  check(options_.brotli_quality >= 0 && options_.brotli_quality <= 11, "Compress: brotli_quality is 0 to 11");
  // Higher levels have windows above 8 MiB, which browsers refuse (RFC 9659).
  check(options_.zstd_level >= 1 && options_.zstd_level <= 19, "Compress: zstd_level is 1 to 19");
  check(options_.max_padding_bytes <= 4096, "Compress: max_padding_bytes is at most 4,096");
  check(std::ranges::find(options_.codings, ContentCoding::Identity) == options_.codings.end(),
        "Compress: codings has Identity, which is always offered");
  if (options_.max_padding_bytes != 0) std::erase(options_.codings, ContentCoding::Zstd);
  check(!options_.codings.empty(), "Compress: no coding is left that can be offered");
}

std::optional<ContentCoding> Compressor::negotiate(const Request& request) const noexcept {
  return negotiate_coding(request.fields(), options_.codings);
}

Plan Compressor::plan(const Request& request, Response& response, ContentCoding coding) const noexcept {
  try {
    return decide(request, response, coding);
  } catch (const std::exception&) {  // no memory for Vary
    return Plan::Unchanged;
  }
}

Plan Compressor::decide(const Request& request, Response& response, ContentCoding coding) const {
  if (response.status() == Status::NotModified) amend_not_modified(request, response, options_.types);
  if (!may_have_content(response.status()) || !has_content(response) || is_final(response)) return Plan::Unchanged;
  const std::size_t size = response.content().size();
  const bool streamed = response.producer() != nullptr;
  const bool worth_it = (streamed || size >= options_.min_bytes) &&
                        is_compressible(response.field("content-type").value_or(""), options_.types);
  if (!worth_it && !refuses_identity(request)) return Plan::Unchanged;
  add_vary(response, "accept-encoding");
  if (coding == ContentCoding::Identity) return Plan::Unchanged;
  if (streamed) return Plan::Streamed;
  return size > max_at_once ? Plan::OnPool : Plan::AtOnce;
}

std::size_t Compressor::padding() const {
  if (options_.max_padding_bytes == 0) return 0;
  return std::random_device()() % (options_.max_padding_bytes + 1);
}

EncoderSettings Compressor::settings(ContentCoding coding) const {
  EncoderSettings settings;
  settings.padding = padding();
  switch (coding) {
    case ContentCoding::Zstd: settings.level = options_.zstd_level; break;
    case ContentCoding::Brotli: settings.level = options_.brotli_quality; break;
    case ContentCoding::Gzip:
    case ContentCoding::Identity: settings.level = options_.gzip_level; break;
  }
  return settings;
}

std::optional<std::string> Compressor::encode(std::string_view content, ContentCoding coding) const noexcept {
  try {
    EncoderSettings whole = settings(coding);
    whole.size = content.size();
    whole.contexts = &contexts_;
    const base::Box<Encoder> encoder = make_encoder(coding, whole);
    std::string coded;
    coded.reserve(content.size() / 4);
    encoder->encode(content, Step::Finish, coded);
    return coded;
  } catch (const std::exception&) {  // no memory, or no random number
    return std::nullopt;
  }
}

void Compressor::replace(Response& response, ContentCoding coding, std::optional<std::string> coded,
                         bool must) const noexcept {
  if (!coded || (coded->size() >= response.content().size() && !must)) return;
  try {
    amend_fields(response, coding);
    response.content(std::move(*coded));
  } catch (const std::exception&) {  // no memory: it stays as it is
  }
}

void Compressor::wrap(Response& response, ContentCoding coding) const noexcept {
  try {
    auto producer = base::make_box<CompressingProducer>(make_encoder(coding, settings(coding)));
    amend_fields(response, coding);
    CompressingProducer& wrapping = *producer;
    wrapping.wrap(response.take_producer());
    response.set_producer(base::Box<http::Producer>(producer.release()));
  } catch (const std::exception&) {
  }
}

}  // namespace tern::web
