#include "http2/known_blocks.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tern::http2 {
namespace {

// Takes a number off whose first byte has `bits` bits of it (RFC 7541, section 5.1). Nothing when it is cut off or
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

// Section 5.2.
bool take_string(std::string_view& block) noexcept {
  const std::optional<std::size_t> size = take_number(block, 7);
  if (!size || *size > block.size()) return false;
  block.remove_prefix(*size);
  return true;
}

// In the order in which one of them makes a block of others so.
enum class Kind : std::uint8_t {
  Lasting,   // means the same next time
  Secret,    // never to be indexed: is not kept here either (sections 6.2.3 and 7.1.3)
  Changing,  // changes the table (6.2.1 and 6.3), or is none
};

// Takes a field off.
Kind take_field(std::string_view& block) noexcept {
  const auto first = static_cast<unsigned char>(block.front());
  if ((first & 0x80U) != 0) return take_number(block, 7) ? Kind::Lasting : Kind::Changing;
  if ((first & 0x60U) != 0) return Kind::Changing;
  const std::optional<std::size_t> name = take_number(block, 4);
  const bool whole = name && (*name != 0 || take_string(block)) && take_string(block);
  if (!whole) return Kind::Changing;
  return (first & 0x10U) != 0 ? Kind::Secret : Kind::Lasting;
}

Kind kind_of(std::string_view block) noexcept {
  Kind kind = Kind::Lasting;
  while (!block.empty() && kind != Kind::Changing) kind = std::max(kind, take_field(block));
  return kind;
}

}  // namespace

KnownBlock::KnownBlock(std::string_view block, const RequestHead& head, std::size_t text,
                       const std::optional<Priority>& priority)
    : block_(block), priority_(priority), method_(head.method), plain_path_(head.plain_path) {
  text_.reserve(text);
  target_ = keep(head.target);
  const auto within = [&head](std::string_view part) {
    if (part.empty()) return Span();
    return Span{static_cast<std::uint16_t>(part.data() - head.target.data()), static_cast<std::uint16_t>(part.size())};
  };
  path_ = within(head.parts.path);
  query_ = within(head.parts.query);
  fields_.reserve(head.fields.size());
  for (const Field& field : head.fields) {
    const Span name = keep(field.name);
    fields_.push_back({name, keep(field.value)});
  }
}

KnownBlock::Span KnownBlock::keep(std::string_view text) {
  const Span span{static_cast<std::uint16_t>(text_.size()), static_cast<std::uint16_t>(text.size())};
  text_.append(text);
  return span;
}

std::size_t KnownBlock::footprint() const noexcept {
  return sizeof *this + block_.capacity() + text_.capacity() + fields_.capacity() * sizeof(FieldSpan);
}

void KnownBlock::read(RequestHead& head, Arena& arena) const {
  const char* base = arena.copy(text_).data();
  const auto view = [base](Span span) { return std::string_view(base + span.at, span.size); };
  head.method = method_;
  head.version = Version::Http2;
  head.plain_path = plain_path_;
  head.target = view(target_);
  head.parts = {{}, view(path_), view(query_)};
  for (const FieldSpan& field : fields_) head.fields.add(view(field.name), view(field.value));
}

std::size_t KnownBlocks::hash_of(std::string_view block) noexcept {
  return std::hash<std::string_view>()(block) | 1U;
}

const KnownBlock* KnownBlocks::find(std::string_view block, bool& worth_keeping) {
  worth_keeping = false;
  // First by the hash: how long it takes does not tell how much of a guess is right.
  const std::size_t hash = hash_of(block);
  const std::size_t slot = slot_of(hash);
  if (known_hashes_[slot] == hash && known_[slot]->is(block)) return known_[slot].get();
  const Kind kind = kind_of(block);
  if (kind == Kind::Changing) {
    forget();
  } else if (kind == Kind::Lasting && block.size() <= max_bytes) {
    worth_keeping = std::exchange(seen_hashes_[slot], hash) == hash;
  }
  return nullptr;
}

void KnownBlocks::forget() noexcept {
  for (auto& known : known_) known.reset();
  known_hashes_ = seen_hashes_ = {};
  footprint_ = 0;
}

void KnownBlocks::drop(std::size_t slot) noexcept {
  if (known_[slot] == nullptr) return;
  footprint_ -= known_[slot]->footprint();
  known_[slot].reset();
  known_hashes_[slot] = seen_hashes_[slot] = 0;
}

void KnownBlocks::keep(std::string_view block, const RequestHead& head, const std::optional<Priority>& priority) {
  if (!head.target.starts_with('/')) return;  // other forms have parts that do not stand in the target
  std::size_t text = head.target.size();
  for (const Field& field : head.fields) text += field.name.size() + field.value.size();
  if (text > max_text) return;
  const std::size_t hash = hash_of(block);
  const std::size_t slot = slot_of(hash);
  auto known = std::make_unique<KnownBlock>(block, head, text, priority);
  const std::size_t size = known->footprint();
  if (size > max_kept) return;
  drop(slot);
  for (std::size_t other = slot + 1; footprint_ + size > max_kept; ++other) drop(other % slots);
  footprint_ += size;
  known_[slot] = std::move(known);
  known_hashes_[slot] = hash;
}

}  // namespace tern::http2
