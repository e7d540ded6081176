#include "web/resource.hpp"

#include "web/accept_encoding.hpp"
#include "web/byte_ranges.hpp"
#include "web/media_type.hpp"
#include "web/multipart_ranges.hpp"
#include "web/preconditions.hpp"

#include <tern/base/number.hpp>
#include <tern/http/date.hpp>
#include <tern/http/exchange.hpp>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <iterator>
#include <utility>

namespace tern::web {
namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
constexpr std::int64_t clock_granularity = 2 * nanoseconds_per_second;  // of the coarsest file systems

std::int64_t now_in_nanoseconds() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * nanoseconds_per_second + time.tv_nsec;
}

void append_hex(std::string& out, std::uint64_t value) {
  char digits[16];
  out.append(digits, std::to_chars(digits, std::end(digits), value, 16).ptr);
}

bool has_known_time(const FileStatus& status) noexcept {
  return status.modified >= 2 * nanoseconds_per_second;
}

// False if the file has changed its size, or cannot be read.
bool read_whole(int descriptor, std::string& into) {
  std::size_t at = 0;
  while (at != into.size()) {
    const ssize_t size = ::pread(descriptor, into.data() + at, into.size() - at, static_cast<off_t>(at));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    at += static_cast<std::size_t>(size);
  }
  return true;
}

const Variant& select_variant(const Resource& resource, const Request& request) {
  const Variant& identity = resource.variants.front();
  if (resource.variants.size() == 1) return identity;
  std::array<ContentCoding, 4> available{};
  std::size_t count = 0;
  for (const Variant& variant : resource.variants) {
    if (variant.coding != ContentCoding::Identity && count != available.size()) available[count++] = variant.coding;
  }
  const auto coding = negotiate_coding(request.fields(), {available.data(), count});
  const auto found = std::ranges::find(resource.variants, coding.value_or(ContentCoding::Identity), &Variant::coding);
  return found != resource.variants.end() ? *found : identity;
}

void set_unless_empty(Response& response, std::string_view name, std::string_view value) {
  if (!value.empty()) response.set(name, value);
}

// The fields of a 200 that a 304 repeats (RFC 9110, section 15.4.5).
void set_cache_fields(Response& response, const Resource& resource, const Variant& variant) {
  set_unless_empty(response, "etag", variant.etag);
  set_unless_empty(response, "cache-control", resource.cache_control);
  if (resource.varies) response.add("vary", "Accept-Encoding");
}

void set_content_fields(Response& response, const Resource& resource, const Variant& variant) {
  set_cache_fields(response, resource, variant);
  set_unless_empty(response, "last-modified", resource.last_modified);
  response.set("x-content-type-options", "nosniff");
  if (variant.coding != ContentCoding::Identity) response.set("content-encoding", name_of(variant.coding));
  set_unless_empty(response, "content-disposition", resource.content_disposition);
  set_unless_empty(response, "content-security-policy", resource.security_policy);
}

Response content_of(std::string_view type, const Variant& variant, const ByteRange& range) {
  if (variant.file) return Response::file(type, {variant.file, range.first, range.length});
  if (!variant.static_content.empty()) {
    return Response::static_content(type, variant.static_content.substr(range.first, range.length));
  }
  return Response::borrowed(type, std::string_view(variant.content).substr(range.first, range.length));
}

Response part_of(const Resource& resource, const Variant& variant, const ByteRange& range) {
  if (!variant.fields.empty()) {
    Response response = content_of({}, variant, range);
    response.set_fields(variant.fields);
    return response;
  }
  Response response = content_of(resource.content_type, variant, range);
  set_content_fields(response, resource, variant);
  response.set("accept-ranges", "bytes");
  return response;
}

Response not_modified(const Resource& resource, const Variant& variant) {
  Response response(Status::NotModified);
  if (variant.not_modified.empty()) {
    set_cache_fields(response, resource, variant);
  } else {
    response.set_fields(variant.not_modified);
  }
  return response;
}

std::string content_range(const ByteRange& range, std::uint64_t size) {
  std::string text = "bytes ";
  base::append_integer(text, range.first);
  text += '-';
  base::append_integer(text, range.first + range.length - 1);
  text += '/';
  base::append_integer(text, size);
  return text;
}

Response partial(const Resource& resource, const Variant& variant, const std::vector<ByteRange>& ranges) {
  if (ranges.size() == 1) {
    Response response = part_of(resource, variant, ranges.front());
    response.set("content-range", content_range(ranges.front(), variant.size));
    return std::move(response).status(Status::PartialContent);
  }
  MultipartRanges parts(resource.content_type);
  for (const ByteRange& range : ranges) parts.add(range, content_range(range, variant.size));
  const std::string_view bytes = variant.static_content.empty() ? variant.content : variant.static_content;
  Response response = variant.file ? std::move(parts).respond(variant.file) : std::move(parts).respond(bytes);
  set_content_fields(response, resource, variant);
  response.set("accept-ranges", "bytes");
  return std::move(response).status(Status::PartialContent);
}

Response unsatisfiable(const Request& request, std::uint64_t size) {
  Problem problem{Status::RangeNotSatisfiable, "the content has no such bytes"};
  std::string text = "bytes */";
  base::append_integer(text, size);
  problem.fields.set("content-range", text);
  return request.exchange().refuse(problem);
}

std::optional<std::vector<ByteRange>> requested_ranges(const Request& request, const Variant& variant,
                                                       const Validators& validators, std::int64_t now) {
  if (request.method() != Method::Get || request.fields().count("range") != 1) return std::nullopt;
  if (!range_applies(request, validators, now)) return std::nullopt;
  return select_ranges(*request.field("range"), variant.size);
}

Response respond_from(const Resource& resource, const Request& request) {
  const Variant& variant = select_variant(resource, request);
  const Validators validators{variant.etag, resource.modified};
  const std::int64_t now = std::time(nullptr);
  switch (check_preconditions(request, validators, now)) {
    case Precondition::Holds: break;
    case Precondition::NotModified: return not_modified(resource, variant);
    case Precondition::Failed:
      return request.exchange().refuse(Problem{Status::PreconditionFailed, "the file is another version"});
  }
  const auto ranges = requested_ranges(request, variant, validators, now);
  if (ranges && ranges->empty()) return unsatisfiable(request, variant.size);
  return ranges ? partial(resource, variant, *ranges) : part_of(resource, variant, {0, variant.size});
}

// Keeps the resource until the exchange has ended, for borrowed content.
const Resource& keep(SharedResource&& resource, Request& request) {
  return *request.arena().make<SharedResource>(std::move(resource));
}

}  // namespace

// A file without a known time has the time of its inode: that of its unpacking.
std::string etag_of(const FileStatus& status, ContentCoding coding) {
  std::string tag = "\"";
  append_hex(tag, status.size);
  tag += '-';
  append_hex(tag, static_cast<std::uint64_t>(has_known_time(status) ? status.modified : status.changed));
  tag += '-';
  append_hex(tag, status.inode);
  if (coding != ContentCoding::Identity) tag.append("-").append(name_of(coding));
  return tag += '"';
}

void describe(Resource& resource, std::string_view content_type, const FileStatus& file) {
  resource.content_type = content_type;
  if (!has_known_time(file) || file.modified > now_in_nanoseconds()) return;
  resource.modified = file.modified / nanoseconds_per_second;
  append_imf_fixdate(resource.last_modified, *resource.modified);
}

Variant make_variant(OpenFile opened, ContentCoding coding, std::size_t max_in_memory) {
  Variant variant{.coding = coding, .size = opened.status.size, .status = opened.status};
  variant.etag = etag_of(opened.status, coding);
  if (variant.size > max_in_memory) {
    variant.file = std::move(opened.file);
    return variant;
  }
  variant.may_change_unseen = now_in_nanoseconds() - opened.status.changed < clock_granularity;
  variant.content.resize(variant.size);
  if (!read_whole(opened.file.descriptor(), variant.content)) {
    variant.content.clear();
    variant.file = std::move(opened.file);
  }
  return variant;
}

void render_fields(Resource& resource) {
  for (Variant& variant : resource.variants) {
    Response all;
    all.set("content-type", resource.content_type);
    set_content_fields(all, resource, variant);
    all.set("accept-ranges", "bytes");
    variant.fields = all.fields();
    Response some;
    set_cache_fields(some, resource, variant);
    variant.not_modified = some.fields();
  }
}

Response respond(SharedResource resource, Request& request) {
  return respond_from(keep(std::move(resource), request), request);
}

Response respond_with(Status status, SharedResource resource, Request& request) {
  const Resource& kept = keep(std::move(resource), request);
  const Variant& variant = select_variant(kept, request);
  Response response = part_of(kept, variant, {0, variant.size});
  response.remove("accept-ranges");  // of the missing file, which this is not
  return std::move(response).status(status);
}

}  // namespace tern::web
