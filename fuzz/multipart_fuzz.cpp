// Fuzzes the multipart parser: any bytes in any pieces. Nothing may crash or be given that the contract rules out, two
// readings that differ only in the pieces must agree, and no content may hold a delimiter.
// script/fuzz runs it.
#include <tern/http/multipart_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace {

using tern::MultipartEvent;
using tern::MultipartLimits;
using tern::MultipartParser;
using tern::MultipartPart;

void require(bool holds) {
  if (!holds) std::abort();
}

bool has_control(std::string_view name) {
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t') || byte == 0x7F) return true;
  }
  return false;
}

class Reader {
public:
  Reader(std::string_view boundary, const MultipartLimits& limits)
      : delimiter_("\r\n--" + std::string(boundary)), limits_(limits), parser_(boundary, limits) {}

  void feed(std::string_view piece) {
    // An exact copy, so that the sanitizer sees a byte too far; it is gone before the next.
    const auto exact = std::make_unique<char[]>(piece.size());
    piece.copy(exact.get(), piece.size());
    parser_.receive({exact.get(), piece.size()});
    while (step()) {
    }
    require(over_ || parser_.consumed() == piece.size());
  }

  const std::string& finish() {
    parser_.finish();
    while (step()) {
    }
    require(over_);
    return log_;
  }

private:
  bool step() {
    const MultipartEvent event = parser_.next();
    if (over_ || event == MultipartEvent::NeedMore) return false;
    switch (event) {
      case MultipartEvent::Part:
        require(!in_part_ && ++parts_ <= limits_.parts);
        in_part_ = true;
        content_ = "\r\n";
        check(parser_.part());
        break;
      case MultipartEvent::Data:
        require(in_part_ && !parser_.data().empty());
        content_ += parser_.data();
        break;
      case MultipartEvent::PartEnd:
        require(in_part_ && (content_ + "\r\n").find(delimiter_) == std::string::npos);
        in_part_ = false;
        log_ += content_ + "|end|";
        break;
      case MultipartEvent::End:
        require(!in_part_);
        log_ += "form";
        over_ = true;
        break;
      default:
        require(!parser_.rejected().detail.empty());
        log_ += content_;
        log_ += parser_.rejected().detail;
        over_ = true;
    }
    return true;
  }

  void check(const MultipartPart& part) {
    require(part.name.size() <= limits_.name && !has_control(part.name));
    if (part.file_name) {
      const std::string& file = *part.file_name;
      require(part.is_file && file.size() <= limits_.file_name && !has_control(file));
      require(!file.empty() && file != "." && file != ".." && file.find_first_of("/\\") == std::string::npos);
      log_ += file;
    }
    log_ += part.name + '|' + part.content_type + '|' + part.charset + (part.is_file ? "|file|" : "|field|");
  }

  std::string delimiter_;
  MultipartLimits limits_;
  MultipartParser parser_;
  std::string log_;
  std::string content_;
  std::size_t parts_ = 0;
  bool in_part_ = false;
  bool over_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t choices_size = 8;
  if (size <= choices_size) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view choices = bytes.substr(0, choices_size);
  const std::string_view input = bytes.substr(choices_size);
  if (const auto boundary = tern::multipart_boundary(input)) MultipartParser parser(*boundary);

  const MultipartLimits limits{.parts = 4,
                               .head = 300,
                               .fields = 4,
                               .name = 16,
                               .file_name = 24,
                               .field_bytes = 40,
                               .preamble = 12,
                               .epilogue = 12};
  const std::string_view boundary = (data[0] & 1U) == 0 ? "b" : "---b-";
  Reader whole(boundary, limits);
  whole.feed(input);
  Reader pieces(boundary, limits);
  std::size_t choice = 0;
  for (std::size_t at = 0; at < input.size();) {
    const std::size_t length = 1 + static_cast<unsigned char>(choices[choice++ % choices.size()]) % 32;
    pieces.feed(input.substr(at, length));
    at += length;
  }
  require(whole.finish() == pieces.finish());
  return 0;
}
