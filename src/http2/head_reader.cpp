#include "http2/head_reader.hpp"

#include "http/authority.hpp"
#include "http/list.hpp"
#include "http/target.hpp"

#include <tern/base/ascii.hpp>
#include <tern/http/method.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tern::http2 {
namespace {

constexpr std::size_t around_field = 4;  // ": " and CRLF in HTTP/1.1

Refusal why(http::TargetFault fault) noexcept {
  using http::TargetFault;
  switch (fault) {
    case TargetFault::None:
    case TargetFault::Form: break;
    case TargetFault::Byte: return {Status::BadRequest, "the target holds a byte that a URI may not (RFC 9113, 8.3.1)"};
    case TargetFault::Fragment: return {Status::BadRequest, "the target has a fragment (RFC 9113, 8.3.1)"};
    case TargetFault::Escape: return {Status::BadRequest, "a malformed percent escape in the path (RFC 3986, 2.1)"};
    case TargetFault::Nul: return {Status::BadRequest, "NUL in the path"};
    case TargetFault::Authority: return {Status::BadRequest, "the target's authority is malformed (RFC 9113, 8.5)"};
  }
  return {Status::BadRequest, "the target has no form that this method takes (RFC 9113, 8.3.1)"};
}

constexpr Refusal host_syntax{Status::BadRequest, ":authority or Host is malformed (RFC 9110, 7.2)"};

}  // namespace

void HeadReader::begin(Stream* stream, bool trailers) noexcept {
  stream_ = stream;
  decoded_ = bytes_ = count_ = cookies_ = 0;
  authority_ = {};
  method_known_ = has_host_ = false;
  within_ = true;
  trailers_ = trailers;
}

bool HeadReader::field(std::string_view name, bool static_name, std::string_view value, bool static_value) {
  const std::size_t size = name.size() + value.size() + around_field;
  decoded_ += size;
  if (decoded_ > max_decoded * (limits_->fields + limits_->target)) return false;
  if (stream_ == nullptr) return true;
  const bool pseudo = name.starts_with(':');
  if (!pseudo || name == ":authority") {
    bytes_ += size;
    ++count_;
  }
  if (trailers_) {
    if (bytes_ > limits_->trailers) refuse({Status::RequestHeaderFieldsTooLarge, "the trailers are too large"});
    if (count_ > limits_->field_count) refuse({Status::RequestHeaderFieldsTooLarge, "too many trailers"});
    trailer(name, value);
    return true;
  }
  if (bytes_ > limits_->fields) refuse({Status::RequestHeaderFieldsTooLarge, "the fields are too large"});
  if (count_ > limits_->field_count) refuse({Status::RequestHeaderFieldsTooLarge, "too many fields"});
  if (stream_->refused_) return true;
  Arena& arena = *stream_->arena_;
  if (!static_value) value = arena.copy(value);
  if (pseudo) {
    pseudo_field(name, value);
  } else {
    plain_field(static_name ? name : arena.copy(name), value);
  }
  return true;
}

void HeadReader::pseudo_field(std::string_view name, std::string_view value) {
  RequestHead& head = *stream_->head_;
  if (name == ":method") {
    const std::optional<Method> method = parse_method(value);
    head.method = method.value_or(Method::Extension);
    if (!method) head.extension_method = value;
    method_known_ = true;
  } else if (name == ":path") {
    if (value.size() > limits_->target) return refuse({Status::UriTooLong, "the target is too long"});
    head.target = value;
  } else if (name == ":authority") {
    authority_ = value;
    if (!http::is_authority(value)) return refuse(host_syntax);
    head.fields.add("host", value);
    has_host_ = true;
  } else if (name == ":scheme") {
    if (value != "http" && value != "https") refuse({Status::BadRequest, "a scheme that is not served here"});
  } else if (name == ":protocol") {
    stream_->protocol_ = value;
  }
}

void HeadReader::plain_field(std::string_view name, std::string_view value) {
  RequestFields& fields = stream_->head_->fields;
  switch (name.size()) {
    case 4:
      if (name != "host") break;
      // A Host that differs from :authority is malformed (RFC 9113, section 8.3.1); an equal one is redundant.
      if (!authority_.empty() && value == authority_) return;
      if (has_host_) return refuse({Status::BadRequest, "more than one host (RFC 9113, 8.3.1)"});
      has_host_ = true;
      if (!http::is_authority(value)) return refuse(host_syntax);
      break;
    case 6:
      if (name == "cookie") ++cookies_;
      if (name != "expect") break;
      switch (http::read_expectation(value)) {
        case http::Expectation::None: break;
        case http::Expectation::Continue: stream_->expects_continue_ = true; break;
        case http::Expectation::Unknown:
          return refuse({Status::ExpectationFailed, "an expectation other than 100-continue"});
      }
      break;
    default: break;
  }
  fields.add(name, value);
}

// Once the content is discarded, and in a tunnel, the head and the arena may be in use for something else.
void HeadReader::trailer(std::string_view name, std::string_view value) {
  if (stream_->content_refused_ || stream_->unwanted_ || !stream_->protocol_.empty()) return;
  Arena& arena = *stream_->arena_;
  stream_->head_->trailers.add(arena.copy(name), arena.copy(value));
}

void HeadReader::end() {
  within_ = false;
  if (stream_ == nullptr || trailers_) return;
  if (!stream_->refused_ && method_known_) read_target();
  if (!stream_->refused_ && cookies_ > 1) join_cookies();
  if (stream_->refused_) stream_->head_->clear();
  stream_->head_->version = Version::Http2;
  stream_->to_head_ = method_known_ && stream_->head_->method == Method::Head;
}

void HeadReader::end(const CachedHeaderBlock& cached) {
  within_ = false;
  if (stream_ == nullptr || trailers_) return;
  cached.read(*stream_->head_, *stream_->arena_);
  stream_->to_head_ = stream_->head_->method == Method::Head;
}

const RequestHead* HeadReader::cacheable_head() const noexcept {
  if (stream_ == nullptr || trailers_ || stream_->refused_) return nullptr;
  if (stream_->head_->method == Method::Extension) return nullptr;
  if (stream_->length_ || stream_->expects_continue_ || !stream_->protocol_.empty()) return nullptr;
  return stream_->head_;
}

void HeadReader::read_target() {
  RequestHead& head = *stream_->head_;
  const bool extended = !stream_->protocol_.empty();
  if (head.method == Method::Connect && !extended) head.target = authority_;
  // The target of an extended CONNECT has the form of an ordinary request's (RFC 8441, section 4).
  const Method method = extended ? Method::Get : head.method;
  const bool whole = method == Method::Connect || head.target.starts_with('/') || head.target == "*";
  if (!whole) return refuse(why(http::TargetFault::Form));
  if (const auto fault = http::read_target(method, head); fault != http::TargetFault::None) refuse(why(fault));
}

// Clients may split the Cookie field for better compression (RFC 9113, section 8.2.3).
void HeadReader::join_cookies() {
  std::vector<Field>& fields = stream_->head_->fields.items();
  std::string joined;
  Field* first = nullptr;
  std::size_t kept = 0;
  for (const Field& field : fields) {
    if (field.name != "cookie") {
      fields[kept++] = field;
    } else if (first == nullptr) {
      joined = field.value;
      first = &(fields[kept++] = field);
    } else {
      joined.append("; ").append(field.value);
    }
  }
  fields.resize(kept);
  first->value = stream_->arena_->copy(joined);
}

}  // namespace tern::http2
