#include "http2/header_block_cache.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tern::http2 {
namespace {

// Takes an integer whose first byte has `bits` bits of it (RFC 7541, section 5.1). Unset if it is truncated or too
// large.
std::optional<std::size_t> take_number(std::string_view& block, unsigned bits) noexcept {
  if (block.empty()) return std::nullopt;
  const std::size_t most = (std::size_t{1} << bits) - 1;
  std::size_t number = static_cast<unsigned char>(block.front()) & most;
  block.remove_prefix(1);
  if (number < most) return number;
  for (unsigned shift = 0; shift <= 14 && !block.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(block.front());
    block.remove_prefix(1);
    number += std::size_t{byte & 0x7fU} << shift;
    if ((byte & 0x80U) == 0) return number;
  }
  return std::nullopt;
}

// Takes a string (section 5.2).
bool take_string(std::string_view& block) noexcept {
  const std::optional<std::size_t> size = take_number(block, 7);
  if (!size || *size > block.size()) return false;
  block.remove_prefix(*size);
  return true;
}

// Ordered: the highest kind of a field is the kind of the block.
enum class Kind : std::uint8_t {
  Stable,        // decodes to the same fields again
  NeverIndexed,  // never-indexed: must not be cached (sections 6.2.3 and 7.1.3)
  ChangesTable,  // changes the dynamic table (6.2.1 and 6.3), or is malformed
};

// Takes a field.
Kind take_field(std::string_view& block) noexcept {
  const auto first = static_cast<unsigned char>(block.front());
  if ((first & 0x80U) != 0) return take_number(block, 7) ? Kind::Stable : Kind::ChangesTable;
  if ((first & 0x60U) != 0) return Kind::ChangesTable;
  const std::optional<std::size_t> name = take_number(block, 4);
  const bool whole = name && (*name != 0 || take_string(block)) && take_string(block);
  if (!whole) return Kind::ChangesTable;
  return (first & 0x10U) != 0 ? Kind::NeverIndexed : Kind::Stable;
}

Kind kind_of(std::string_view block) noexcept {
  Kind kind = Kind::Stable;
  while (!block.empty() && kind != Kind::ChangesTable) kind = std::max(kind, take_field(block));
  return kind;
}

}  // namespace

CachedHeaderBlock::CachedHeaderBlock(std::string_view block, const RequestHead& head, std::size_t text,
                                     const std::optional<Priority>& priority)
    : block_(block), priority_(priority), method_(head.method), plain_path_(head.plain_path) {
  text_.reserve(text);
  target_ = append_text(head.target);
  const auto within = [&head](std::string_view part) {
    if (part.empty()) return Span();
    return Span{static_cast<std::uint16_t>(part.data() - head.target.data()), static_cast<std::uint16_t>(part.size())};
  };
  path_ = within(head.parts.path);
  query_ = within(head.parts.query);
  fields_.reserve(head.fields.size());
  for (const Field& field : head.fields) {
    const Span name = append_text(field.name);
    fields_.push_back({name, append_text(field.value)});
  }
}

CachedHeaderBlock::Span CachedHeaderBlock::append_text(std::string_view text) {
  const Span span{static_cast<std::uint16_t>(text_.size()), static_cast<std::uint16_t>(text.size())};
  text_.append(text);
  return span;
}

std::size_t CachedHeaderBlock::footprint() const noexcept {
  return sizeof *this + block_.capacity() + text_.capacity() + fields_.capacity() * sizeof(FieldSpan);
}

void CachedHeaderBlock::read(RequestHead& head, Arena& arena) const {
  const char* base = arena.copy(text_).data();
  const auto view = [base](Span span) { return std::string_view(base + span.at, span.size); };
  head.method = method_;
  head.version = Version::Http2;
  head.plain_path = plain_path_;
  head.target = view(target_);
  head.parts = {{}, view(path_), view(query_)};
  for (const FieldSpan& field : fields_) head.fields.add(view(field.name), view(field.value));
}

std::size_t HeaderBlockCache::hash_of(std::string_view block) noexcept {
  return std::hash<std::string_view>()(block) | 1U;
}

const CachedHeaderBlock* HeaderBlockCache::find(std::string_view block, bool& cacheable) {
  cacheable = false;
  // Compares the hash first: the time of a comparison does not tell how much of a guess is right.
  const std::size_t hash = hash_of(block);
  const std::size_t slot = slot_of(hash);
  if (entry_hashes_[slot] == hash && entries_[slot]->is(block)) return entries_[slot].get();
  const Kind kind = kind_of(block);
  if (kind == Kind::ChangesTable) {
    forget();
  } else if (kind == Kind::Stable && block.size() <= max_block_bytes) {
    cacheable = std::exchange(seen_hashes_[slot], hash) == hash;
  }
  return nullptr;
}

void HeaderBlockCache::forget() noexcept {
  for (auto& cached : entries_) cached.reset();
  entry_hashes_ = seen_hashes_ = {};
  footprint_ = 0;
}

void HeaderBlockCache::drop(std::size_t slot) noexcept {
  if (entries_[slot] == nullptr) return;
  footprint_ -= entries_[slot]->footprint();
  entries_[slot].reset();
  entry_hashes_[slot] = seen_hashes_[slot] = 0;
}

void HeaderBlockCache::store(std::string_view block, const RequestHead& head, const std::optional<Priority>& priority) {
  if (!head.target.starts_with('/')) return;  // other forms have parts outside of the target
  std::size_t text = head.target.size();
  for (const Field& field : head.fields) text += field.name.size() + field.value.size();
  if (text > max_head_bytes) return;
  const std::size_t hash = hash_of(block);
  const std::size_t slot = slot_of(hash);
  auto cached = std::make_unique<CachedHeaderBlock>(block, head, text, priority);
  const std::size_t size = cached->footprint();
  if (size > max_cached_bytes) return;
  drop(slot);
  for (std::size_t other = slot + 1; footprint_ + size > max_cached_bytes; ++other) drop(other % slots);
  footprint_ += size;
  entries_[slot] = std::move(cached);
  entry_hashes_[slot] = hash;
}

}  // namespace tern::http2
