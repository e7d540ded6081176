#include "load/http_answer.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>

#include <algorithm>
#include <optional>

namespace tern::load {
namespace {

constexpr std::size_t max_head = 256 * 1024;
constexpr std::size_t max_line = 16 * 1024;

// "HTTP/1.1 200 OK"; nothing for another protocol.
std::optional<int> status_of(std::string_view line) {
  const bool is_http = line.size() >= 12 && line.starts_with("HTTP/1.") && line[8] == ' ';
  if (!is_http || (line.size() > 12 && line[12] != ' ')) return std::nullopt;
  const auto status = base::parse_integer<unsigned>(line.substr(9, 3));
  if (!status || *status < 100) return std::nullopt;
  return static_cast<int>(*status);
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (text.empty() || text.size() > 15) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const int digit = base::hex_value(c);
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<std::uint64_t>(digit);
  }
  return value;
}

}  // namespace

void HttpAnswer::reset() {
  part_ = Part::Head;
  closes_ = chunked_ = has_length_ = false;
  status_ = 0;
  left_ = 0;
  kept_.clear();
}

Progress HttpAnswer::receive(std::string_view bytes) {
  while (!bytes.empty()) {
    Progress progress = Progress::More;
    switch (part_) {
      case Part::Head: progress = read_head(bytes); break;
      case Part::Counted: progress = read_counted(bytes, Part::Complete); break;
      case Part::UntilClose: return Progress::More;
      case Part::ChunkSize: progress = read_chunk_size(bytes); break;
      case Part::Chunk: progress = read_counted(bytes, Part::ChunkEnd); break;
      case Part::ChunkEnd:
        if (!take_line(bytes)) break;
        if (!kept_.empty()) return Progress::Broken;
        part_ = Part::ChunkSize;
        break;
      case Part::Trailer: progress = read_trailer(bytes); break;
      case Part::Complete: return Progress::Broken;
    }
    if (progress == Progress::Complete) return bytes.empty() ? progress : Progress::Broken;
    if (progress == Progress::Broken || kept_.size() > max_head) return Progress::Broken;
  }
  return Progress::More;
}

Progress HttpAnswer::end() {
  return part_ == Part::UntilClose ? complete() : Progress::Broken;
}

Progress HttpAnswer::complete() {
  part_ = Part::Complete;
  ++(*classes_)[static_cast<std::size_t>(status_ / 100)];
  return Progress::Complete;
}

Progress HttpAnswer::read_head(std::string_view& bytes) {
  constexpr std::string_view end = "\r\n\r\n";
  const std::size_t before = kept_.size();
  const bool was_split = before > 0;
  if (was_split) kept_ += bytes;
  const std::string_view all = was_split ? std::string_view(kept_) : bytes;
  const std::size_t at = all.find(end, before < end.size() ? 0 : before - end.size());
  if (at == std::string_view::npos) {
    if (!was_split) kept_ = bytes;
    bytes = {};
    return Progress::More;
  }
  const bool is_good = take_head(all.substr(0, at));
  bytes.remove_prefix(at + end.size() - before);
  kept_.clear();
  if (!is_good) return Progress::Broken;
  if (status_ < 200) {  // an interim response
    reset();
    return Progress::More;
  }
  const bool has_content = !to_head_ && status_ != 204 && status_ != 304;
  if (!has_content || (has_length_ && !chunked_ && left_ == 0)) return complete();
  part_ = chunked_ ? Part::ChunkSize : has_length_ ? Part::Counted : Part::UntilClose;
  closes_ = closes_ || part_ == Part::UntilClose;
  return Progress::More;
}

bool HttpAnswer::take_head(std::string_view head) {
  std::size_t end = std::min(head.find("\r\n"), head.size());
  const auto status = status_of(head.substr(0, end));
  if (!status) return false;
  status_ = *status;
  closes_ = head.starts_with("HTTP/1.0");
  while (end < head.size()) {
    head.remove_prefix(end + 2);
    end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !take_field(line.substr(0, colon), base::trim(line.substr(colon + 1)))) {
      return false;
    }
  }
  return true;
}

bool HttpAnswer::take_field(std::string_view name, std::string_view value) {
  if (base::equals_ignoring_case(name, "content-length")) {
    const auto length = base::parse_integer<std::uint64_t>(value);
    if (!length || (has_length_ && *length != left_)) return false;
    has_length_ = true;
    left_ = *length;
  } else if (base::equals_ignoring_case(name, "transfer-encoding")) {
    chunked_ = base::equals_ignoring_case(value, "chunked");
    return chunked_;
  } else if (base::equals_ignoring_case(name, "connection")) {
    if (base::equals_ignoring_case(value, "close")) closes_ = true;
    if (base::equals_ignoring_case(value, "keep-alive")) closes_ = false;
  }
  return true;
}

Progress HttpAnswer::read_counted(std::string_view& bytes, Part next) {
  const std::uint64_t size = std::min<std::uint64_t>(left_, bytes.size());
  bytes.remove_prefix(static_cast<std::size_t>(size));
  left_ -= size;
  if (left_ > 0) return Progress::More;
  if (next == Part::Complete) return complete();
  part_ = next;
  kept_.clear();
  return Progress::More;
}

Progress HttpAnswer::read_chunk_size(std::string_view& bytes) {
  if (!take_line(bytes)) return kept_.size() > max_line ? Progress::Broken : Progress::More;
  const std::string_view line(kept_);
  const auto size = hexadecimal(base::trim(line.substr(0, line.find(';'))));
  kept_.clear();
  if (!size) return Progress::Broken;
  left_ = *size;
  part_ = left_ == 0 ? Part::Trailer : Part::Chunk;
  return Progress::More;
}

Progress HttpAnswer::read_trailer(std::string_view& bytes) {
  if (!take_line(bytes)) return kept_.size() > max_line ? Progress::Broken : Progress::More;
  const bool is_end = kept_.empty();
  kept_.clear();
  return is_end ? complete() : Progress::More;
}

// Whether kept_ is a line now, without its end.
bool HttpAnswer::take_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  kept_ += bytes.substr(0, end);
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  if (end == std::string_view::npos) return false;
  if (kept_.ends_with('\r')) kept_.pop_back();
  return true;
}

}  // namespace tern::load
