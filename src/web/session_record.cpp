#include "web/session_record.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tern::web {
namespace {

constexpr char record_format = 1;
constexpr std::size_t time_size = 8;
constexpr std::size_t length_size = 4;

void put_number(std::string& out, std::uint64_t value, std::size_t size) {
  while (size-- > 0) out.push_back(static_cast<char>(value >> (8 * size) & 0xFFU));
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size(), length_size);
  out.append(text);
}

// Reads from the front; fails once and for all at the end of the bytes.
class RecordReader {
public:
  explicit RecordReader(std::string_view bytes) noexcept : rest_(bytes) {}

  std::uint64_t number(std::size_t size) noexcept {
    std::uint64_t value = 0;
    for (const char byte : take(size)) value = value << 8U | static_cast<unsigned char>(byte);
    return value;
  }
  std::int64_t time() noexcept { return static_cast<std::int64_t>(number(time_size)); }
  std::string text() { return std::string(take(number(length_size))); }

  bool at_end() const noexcept { return rest_.empty(); }
  bool failed() const noexcept { return failed_; }

private:
  std::string_view take(std::uint64_t size) noexcept {
    if (size > rest_.size()) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace

std::string to_bytes(const SessionRecord& record) {
  std::string out;
  std::size_t size = 1 + 2 * time_size;
  for (const std::string* text : {&record.user, &record.epoch, &record.id, &record.data}) {
    size += length_size + text->size();
  }
  out.reserve(size);
  out.push_back(record_format);
  put_number(out, static_cast<std::uint64_t>(record.begun), time_size);
  put_number(out, static_cast<std::uint64_t>(record.seen), time_size);
  for (const std::string* text : {&record.user, &record.epoch, &record.id, &record.data}) put_text(out, *text);
  for (const Flash& flash : record.flashes) {
    put_text(out, flash.kind);
    put_text(out, flash.text);
  }
  return out;
}

std::optional<SessionRecord> read_session_record(std::string_view bytes) {
  if (!bytes.starts_with(record_format)) return std::nullopt;
  RecordReader reader(bytes.substr(1));
  SessionRecord record;
  record.begun = reader.time();
  record.seen = reader.time();
  record.user = reader.text();
  record.epoch = reader.text();
  record.id = reader.text();
  record.data = reader.text();
  while (!reader.at_end()) {
    std::string kind = reader.text();
    record.flashes.push_back({std::move(kind), reader.text()});
  }
  if (reader.failed()) return std::nullopt;
  return record;
}

}  // namespace tern::web
