#include <tern/http/fields.hpp>

#include <tern/base/ascii.hpp>
#include <tern/base/block_pool.hpp>

#include "base/byte_set.hpp"
#include "base/words.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace tern {
namespace {

using base::equals_ignoring_case;

bool frames_the_message(std::string_view name) {
  switch (name.size()) {
    case 2: return equals_ignoring_case(name, "te");
    case 7: return equals_ignoring_case(name, "trailer");
    case 10: return equals_ignoring_case(name, "connection") || equals_ignoring_case(name, "keep-alive");
    case 14: return equals_ignoring_case(name, "content-length");
    case 17: return equals_ignoring_case(name, "transfer-encoding");
    default: return false;
  }
}

constexpr base::ByteSet token_chars([](char c) { return base::is_token_char(c); });

bool is_token(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return token_chars[c]; });
}

// field-content of RFC 9110, section 5.5: visible characters, obs-text, blanks and tabs.
bool is_field_value(std::string_view value) {
  const bool has_control =
      base::any_word(value, [](std::uint64_t word) { return base::below(word, 0x20) | base::equal_to(word, 0x7F); });
  if (!has_control) return true;
  return std::ranges::all_of(value, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7F) || byte == '\t';
  });
}

// Blanks that a value must not have at its ends (RFC 9110, section 5.5): the recipient would remove them.
bool has_blank_ends(std::string_view value) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  return !value.empty() && (is_blank(value.front()) || is_blank(value.back()));
}

[[noreturn]] void refuse(std::string_view name, const char* why) {
  throw std::invalid_argument("field '" + std::string(name.substr(0, 64)) + "' " + why);
}

void check(std::string_view name, std::string_view value) {
  if (!is_token(name)) refuse(name, "has a name that is not a token");
  if (frames_the_message(name)) refuse(name, "frames the message: the server sets it");
  if (!is_field_value(value)) refuse(name, "has a value with CR, LF, NUL or another control byte");
  if (has_blank_ends(value)) refuse(name, "has a value with a blank at an end");
}

// Of a block that has `capacity` bytes and needs more.
std::size_t grown_capacity(std::size_t capacity, std::size_t needed) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max() - 64;
  if (needed > most) throw std::length_error("the fields of a response are too large");
  return std::min(most, std::max<std::size_t>({needed, capacity * 2, 256}));
}

}  // namespace

std::optional<std::string_view> RequestFields::find(std::string_view name) const noexcept {
  for (const Field& field : fields_) {
    if (equals_ignoring_case(field.name, name)) return field.value;
  }
  return std::nullopt;
}

std::size_t RequestFields::count(std::string_view name) const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(fields_, [name](const Field& field) { return equals_ignoring_case(field.name, name); }));
}

Fields::Fields(Fields&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

Fields& Fields::operator=(Fields&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
  }
  return *this;
}

Fields::Fields(const Fields& other) {
  if (other.size_ == 0) return;
  allocate(other.size_);
  std::memcpy(data_ - names_size, other.data_ - names_size, names_size + other.size_);
  size_ = other.size_;
}

// A block without fields. Does not release the old one.
void Fields::allocate(std::size_t capacity) {
  data_ = static_cast<char*>(base::allocate_block(names_size + capacity)) + names_size;
  std::memset(data_ - names_size, 0, names_size);
  capacity_ = static_cast<std::uint32_t>(capacity);
}

void Fields::add_names(std::uint64_t more) noexcept {
  const std::uint64_t all = names() | more;
  std::memcpy(data_ - names_size, &all, names_size);
}

Fields& Fields::operator=(const Fields& other) {
  if (this != &other) *this = Fields(other);
  return *this;
}

void Fields::set(std::string_view name, std::string_view value) {
  check(name, value);
  const bool replaces = may_have(name);
  const std::size_t before = size_;
  append(name, value);  // first: name and value may be views of fields that are removed
  if (replaces) remove_before(before, text().substr(before, name.size()));
}

void Fields::add(std::string_view name, std::string_view value) {
  check(name, value);
  append(name, value);
}

std::size_t Fields::remove(std::string_view name) {
  if (!may_have(name)) return 0;
  if (is_shared()) *this = Fields(*this);
  return remove_before(size_, name);
}

// Removes the fields of that name among the first `end` bytes. `name` may be a view into these fields: it moves with
// them, and the line that contains it is removed last.
std::size_t Fields::remove_before(std::size_t end, std::string_view name) noexcept {
  std::size_t removed = 0;
  std::size_t own = 0;
  std::size_t own_length = 0;
  std::size_t at = 0;
  while (at < end) {
    const std::string_view rest = text().substr(at);
    const std::size_t length = rest.find('\n') + 1;
    if (!equals_ignoring_case(rest.substr(0, rest.find(':')), name)) {
      at += length;
      continue;
    }
    ++removed;
    const bool inside = name.data() >= rest.data() && name.data() < data_ + size_;
    if (inside && name.data() < rest.data() + length) {
      own = at;
      own_length = length;
      at += length;
      continue;
    }
    if (inside) name = {name.data() - length, name.size()};
    erase(at, length);
    end -= length;
  }
  if (own_length != 0) erase(own, own_length);
  return removed;
}

void Fields::erase(std::size_t at, std::size_t length) noexcept {
  std::memmove(data_ + at, data_ + at + length, size_ - at - length);
  size_ -= static_cast<std::uint32_t>(length);
}

std::optional<std::string_view> Fields::find(std::string_view name) const noexcept {
  if (!may_have(name)) return std::nullopt;
  for (std::string_view rest = text(); !rest.empty();) {
    const std::size_t length = rest.find('\n') + 1;
    const bool matches = length > name.size() && rest[name.size()] == ':' &&
                         equals_ignoring_case(rest.substr(0, name.size()), name) && !name.contains(':');
    if (matches) return rest.substr(name.size() + 2, length - name.size() - 4);
    rest.remove_prefix(length);
  }
  return std::nullopt;
}

void Fields::add_all(const Fields& other) {
  if (other.size_ == 0) return;
  reserve(std::size_t{size_} + other.size_);
  std::memcpy(data_ + size_, other.data_, other.size_);
  size_ += other.size_;
  add_names(other.names());
}

void Fields::share(const Fields& block) {
  if (!empty()) return add_all(block);
  release();
  data_ = block.data_;
  size_ = block.size_;
  capacity_ = 0;
}

void Fields::reserve(std::size_t size) {
  if (size <= capacity_) return;
  Fields grown;
  grown.allocate(grown_capacity(capacity_, size));
  if (size_ != 0) std::memcpy(grown.data_ - names_size, data_ - names_size, names_size + size_);
  grown.size_ = size_;
  *this = std::move(grown);
}

void Fields::append(std::string_view name, std::string_view value) {
  const std::size_t length = name.size() + value.size() + 4;  // ": " and CRLF
  Fields old;  // until the end: name and value may be views into the old block
  if (size_ + length > capacity_) {
    old = std::exchange(*this, Fields());
    allocate(grown_capacity(old.capacity_, old.size_ + length));
    if (old.size_ != 0) std::memcpy(data_ - names_size, old.data_ - names_size, names_size + old.size_);
    size_ = old.size_;
  }
  char* out = data_ + size_;
  const auto put = [&out](std::string_view piece) {
    if (!piece.empty()) std::memmove(out, piece.data(), piece.size());
    out += piece.size();
  };
  put(name);
  put(": ");
  put(value);
  put("\r\n");
  size_ += static_cast<std::uint32_t>(length);
  add_names(name_bit(text().substr(size_ - length, name.size())));
}

void Fields::release() noexcept {
  if (capacity_ != 0) base::free_block(data_ - names_size, names_size + capacity_);
}

void Fields::Iterator::read() noexcept {
  if (rest_.empty()) return;
  length_ = rest_.find('\n') + 1;
  const std::string_view line = rest_.substr(0, length_ - 2);
  const std::size_t colon = line.find(':');
  field_ = {line.substr(0, colon), line.substr(colon + 2)};
}

}  // namespace tern
