#include "http1/request_head_cache.hpp"

#include <tern/base/block_pool.hpp>

#include <cstring>
#include <new>

namespace tern::http1 {
namespace {

constexpr std::uint8_t eager_misses = 4;  // in a row; from then on, only every `patient_step`th head is stored
constexpr std::uint8_t patient_step = 16;

bool begins_with(std::string_view bytes, const char* cached, std::size_t size) noexcept {
  return bytes.size() >= size && std::memcmp(bytes.data(), cached, size) == 0;
}

}  // namespace

void RequestHeadCache::Free::operator()(Entry* entry) const noexcept {
  base::free_block(entry, entry->block_size());
}

void RequestHeadCache::add_fields(const char* base, RequestHead& head) const {
  head.fields.clear();
  const Span* end = entry_->spans() + 2 * std::size_t{entry_->field_count};
  for (const Span* span = entry_->spans(); span != end; span += 2) {
    head.fields.add({base + span[0].at, span[0].size}, {base + span[1].at, span[1].size});
  }
}

std::size_t RequestHeadCache::read_head(std::string_view bytes, RequestHead& head, Framing& framing) {
  Entry* entry = entry_.get();
  if (entry == nullptr || !begins_with(bytes, entry->bytes(), entry->size)) return 0;
  misses_ = 0;
  const char* base = bytes.data();
  const auto view = [base](Span span) {
    return span.at == 0 ? std::string_view() : std::string_view(base + span.at, span.size);
  };
  head.target = view(entry->target);
  head.parts = {{}, view(entry->path), view(entry->query)};
  head.plain_path = entry->plain_path;
  add_fields(base, head);
  framing = entry->framing;
  return entry->size;
}

std::size_t RequestHeadCache::read_fields(std::string_view bytes, RequestHead& head, Framing& framing) {
  Entry* entry = entry_.get();
  // Some fields have another meaning on HTTP/1.0.
  if (entry == nullptr || entry->framing.version != framing.version) return 0;
  const std::size_t size = std::size_t{entry->size} - entry->fields_at;
  if (!begins_with(bytes, entry->bytes() + entry->fields_at, size)) return 0;
  misses_ = 0;
  add_fields(bytes.data() - entry->fields_at, head);
  framing.flags = entry->framing.flags;
  framing.length = entry->framing.length;
  return size;
}

// Returns whether the head is to be stored: not the first one, since many connections have one request only, and not
// each of those that always differ.
bool RequestHeadCache::counts_as_miss() noexcept {
  if (!entry_ && misses_ == 0) {
    misses_ = 1;
    return false;
  }
  if (misses_ < eager_misses) {
    ++misses_;
    return true;
  }
  misses_ = misses_ == eager_misses + patient_step - 1 ? eager_misses : misses_ + 1;
  if (misses_ != eager_misses) entry_.reset();
  return misses_ == eager_misses;
}

// In the block of the last entry if the sizes are the same.
RequestHeadCache::Entry* RequestHeadCache::make_entry(std::size_t bytes, std::size_t field_count) noexcept {
  Entry fresh;
  fresh.size = static_cast<std::uint16_t>(bytes);
  fresh.field_count = static_cast<std::uint16_t>(field_count);
  if (entry_ && entry_->block_size() == fresh.block_size()) {
    *entry_ = fresh;
    return entry_.get();
  }
  entry_.reset();
  try {
    entry_.reset(new (base::allocate_block(fresh.block_size())) Entry(fresh));
  } catch (const std::bad_alloc&) {  // the next head is parsed
  }
  return entry_.get();
}

void RequestHeadCache::store(std::string_view bytes, std::size_t fields_at, const RequestHead& head,
                             const Framing& framing) noexcept {
  if (!head.target.starts_with('/')) return;  // other forms have parts outside of these bytes
  if (!head.extension_method.empty()) return;
  if (bytes.size() > max_bytes || head.fields.size() > max_fields) return;
  if (!counts_as_miss()) return;
  Entry* entry = make_entry(bytes.size(), head.fields.size());
  if (entry == nullptr) return;
  const auto span = [base = bytes.data()](std::string_view view) {
    if (view.data() == nullptr) return Span();
    return Span{static_cast<std::uint16_t>(view.data() - base), static_cast<std::uint16_t>(view.size())};
  };
  entry->fields_at = static_cast<std::uint16_t>(fields_at);
  entry->plain_path = head.plain_path;
  entry->framing = framing;
  entry->target = span(head.target);
  entry->path = span(head.parts.path);
  entry->query = span(head.parts.query);
  Span* next = entry->spans();
  for (const Field& field : head.fields) {
    *next++ = span(field.name);
    *next++ = span(field.value);
  }
  std::memcpy(entry->bytes(), bytes.data(), bytes.size());
}

}  // namespace tern::http1
