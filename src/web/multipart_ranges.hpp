// multipart/byteranges (RFC 9110, section 14.6).
#pragma once

#include "web/byte_ranges.hpp"

#include <tern/http/file_range.hpp>
#include <tern/http/response.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

class MultipartRanges {
public:
  // `content_type` is that of each part.
  explicit MultipartRanges(std::string_view content_type);

  void add(const ByteRange& range, std::string_view content_range);

  Response respond(std::string_view content) &&;
  Response respond(http::SharedFile file) &&;

private:
  class Producer;
  struct Part {
    std::string head;
    ByteRange range;
  };

  std::string media_type() const { return "multipart/byteranges; boundary=" + boundary_; }
  std::uint64_t length() const;
  std::string end() const { return "\r\n--" + boundary_ + "--\r\n"; }

  std::string boundary_;
  std::string part_type_;
  std::vector<Part> parts_;
};

}  // namespace tern::web
