#include "web/multipart_ranges.hpp"

#include <tern/http/writer.hpp>

#include "base/random.hpp"

#include <charconv>
#include <cstddef>
#include <iterator>
#include <utility>

namespace tern::web {
namespace {

// Random, so that no content can have it.
std::string make_boundary() {
  std::string boundary = "tern-";
  for (int i = 0; i < 2; ++i) {
    char digits[16];
    boundary.append(digits, std::to_chars(digits, std::end(digits), base::random_number(), 16).ptr);
  }
  return boundary;
}

}  // namespace

class MultipartRanges::Producer final : public http::Producer {
public:
  Producer(MultipartRanges ranges, http::SharedFile file) : ranges_(std::move(ranges)), file_(std::move(file)) {}

  Task<> run(Writer& writer) override {
    for (const Part& part : ranges_.parts_) {
      co_await writer.write(part.head);
      const http::FileRange range{file_, part.range.first, part.range.length};
      co_await http::write_file(writer, range);
    }
    const std::string end = ranges_.end();
    co_await writer.write(end);
  }

  std::optional<std::uint64_t> length() const noexcept override { return length_; }

private:
  MultipartRanges ranges_;
  http::SharedFile file_;
  const std::uint64_t length_ = ranges_.length();
};

MultipartRanges::MultipartRanges(std::string_view content_type)
    : boundary_(make_boundary()), part_type_(content_type) {}

void MultipartRanges::add(const ByteRange& range, std::string_view content_range) {
  std::string head = parts_.empty() ? "--" : "\r\n--";
  head.append(boundary_).append("\r\nContent-Type: ").append(part_type_);
  head.append("\r\nContent-Range: ").append(content_range).append("\r\n\r\n");
  parts_.push_back({std::move(head), range});
}

std::uint64_t MultipartRanges::length() const {
  std::uint64_t sum = end().size();
  for (const Part& part : parts_) sum += part.head.size() + part.range.length;
  return sum;
}

Response MultipartRanges::respond(std::string_view content) && {
  std::string all;
  for (const Part& part : parts_) all.append(part.head).append(content.substr(part.range.first, part.range.length));
  all += end();
  return Response::bytes(media_type(), std::move(all));
}

Response MultipartRanges::respond(http::SharedFile file) && {
  const std::string type = media_type();
  auto producer = base::Box<http::Producer>(new Producer(std::move(*this), std::move(file)));
  return Response::produced(type, std::move(producer));
}

}  // namespace tern::web
