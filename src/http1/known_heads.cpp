#include "http1/known_heads.hpp"

#include <algorithm>
#include <cstring>

namespace tern::http1 {
namespace {

constexpr std::string_view head_end = "\r\n\r\n";
constexpr std::uint8_t eager_misses = 4;  // in a row, before only every `patient_step`th head is kept
constexpr std::uint8_t patient_step = 16;

std::uint64_t word_at(const char* text) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  return word;
}

// Whether `bytes` begin with the `size` (at least 8) at `known`. Only where the end of the head is, is looked at first.
bool begins_with(std::string_view bytes, const char* known, std::size_t size) noexcept {
  if (bytes.size() < size ||
      std::memcmp(bytes.data() + size - head_end.size(), head_end.data(), head_end.size()) != 0) {
    return false;
  }
  std::uint64_t different = word_at(bytes.data() + size - 8) ^ word_at(known + size - 8);
  for (std::size_t at = 0; at + 8 < size; at += 8) different |= word_at(bytes.data() + at) ^ word_at(known + at);
  return different == 0;
}

// From a few places: different clients rarely agree in all of them.
std::size_t hash(std::string_view fields) noexcept {
  const std::size_t middle = fields.size() / 2;
  std::uint64_t sum = fields.size();
  for (const std::size_t at : {std::size_t{0}, middle / 2, middle, middle + middle / 2,
                               fields.size() - std::min<std::size_t>(fields.size(), 12)}) {
    if (at + 8 <= fields.size()) sum = (sum ^ word_at(fields.data() + at)) * 0x9E3779B97F4A7C15U;
  }
  return static_cast<std::size_t>(sum >> 32U);
}

}  // namespace

// Null where it is not worth while to compare.
KnownHeads::Entry* KnownHeads::entry_at(Place place) const noexcept {
  return place.misses <= eager_misses ? entries_[place.slot].get() : nullptr;
}

void KnownHeads::add_fields(const Entry& entry, const char* base, RequestHead& head) {
  head.fields.clear();
  const Span* end = entry.fields.data() + 2 * std::size_t{entry.field_count};
  for (const Span* span = entry.fields.data(); span != end; span += 2) {
    head.fields.add({base + span[0].at, span[0].size}, {base + span[1].at, span[1].size});
  }
}

std::size_t KnownHeads::read_head(std::string_view bytes, Place& place, RequestHead& head, Facts& facts) const {
  Entry* entry = entry_at(place);
  if (entry == nullptr || !begins_with(bytes, entry->bytes.data(), entry->size)) return 0;
  place.misses = 0;
  const char* base = bytes.data();
  const auto view = [base](Span span) {
    return span.at == 0 ? std::string_view() : std::string_view(base + span.at, span.size);
  };
  head.target = view(entry->target);
  head.parts = {{}, view(entry->path), view(entry->query)};
  head.plain_path = entry->plain_path;
  head.memo = &entry->memo;
  add_fields(*entry, base, head);
  facts = entry->facts;
  return entry->size;
}

std::size_t KnownHeads::read_fields(std::string_view bytes, Place& place, RequestHead& head, Facts& facts) const {
  const Entry* entry = entry_at(place);
  // On HTTP/1.0 some fields mean something else.
  if (entry == nullptr || entry->facts.version != facts.version) return 0;
  const std::size_t size = std::size_t{entry->size} - entry->fields_at;
  if (!begins_with(bytes, entry->bytes.data() + entry->fields_at, size)) return 0;
  place.misses = 0;
  add_fields(*entry, bytes.data() - entry->fields_at, head);
  facts.flags = entry->facts.flags;
  facts.length = entry->facts.length;
  return size;
}

void KnownHeads::keep(std::string_view bytes, std::size_t fields_at, const RequestHead& head, const Facts& facts,
                      Place& place) {
  if (!head.target.starts_with('/')) return;  // other forms have parts that do not stand in the bytes
  if (!head.extension_method.empty()) return;
  if (bytes.size() > max_bytes || bytes.size() - fields_at < 8 || head.fields.size() > max_fields) return;
  if (place.misses >= eager_misses) {
    place.misses = place.misses == eager_misses + patient_step - 1 ? eager_misses : place.misses + 1;
    if (place.misses != eager_misses) return;
  } else {
    ++place.misses;
  }
  place.slot = static_cast<std::uint8_t>(hash(bytes.substr(fields_at)) % slots);
  if (!entries_[place.slot]) entries_[place.slot] = std::make_unique<Entry>();
  Entry& entry = *entries_[place.slot];
  const auto span = [base = bytes.data()](std::string_view view) {
    if (view.data() == nullptr) return Span();
    return Span{static_cast<std::uint16_t>(view.data() - base), static_cast<std::uint16_t>(view.size())};
  };
  std::memcpy(entry.bytes.data(), bytes.data(), bytes.size());
  entry.size = static_cast<std::uint16_t>(bytes.size());
  entry.fields_at = static_cast<std::uint16_t>(fields_at);
  entry.field_count = static_cast<std::uint16_t>(head.fields.size());
  entry.plain_path = head.plain_path;
  entry.memo = nullptr;
  entry.facts = facts;
  entry.target = span(head.target);
  entry.path = span(head.parts.path);
  entry.query = span(head.parts.query);
  Span* next = entry.fields.data();
  for (const Field& field : head.fields) {
    *next++ = span(field.name);
    *next++ = span(field.value);
  }
}

}  // namespace tern::http1
