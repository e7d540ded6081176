// Fields (RFC 9110, section 5): the names and values before and after a message's content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tern {

struct Field {
  std::string_view name;
  std::string_view value;
};

// The fields of a request in received order: views into its head. Names are case-insensitive.
class RequestFields {
public:
  // The value of the first field of that name.
  std::optional<std::string_view> find(std::string_view name) const noexcept;
  std::size_t count(std::string_view name) const noexcept;

  std::size_t size() const noexcept { return fields_.size(); }
  bool empty() const noexcept { return fields_.empty(); }
  auto begin() const noexcept { return fields_.begin(); }
  auto end() const noexcept { return fields_.end(); }
  const Field& operator[](std::size_t index) const noexcept { return fields_[index]; }

  // For parsers: the text of the views must outlive this list.
  void add(std::string_view name, std::string_view value) { fields_.push_back({name, value}); }
  void clear() noexcept { fields_.clear(); }
  std::vector<Field>& items() noexcept { return fields_; }

private:
  std::vector<Field> fields_;
};

// The fields of a response. They own their text in HTTP/1.1's format ("name: value CRLF" each), in one block of the
// thread's pool: in steady state setting a field does not allocate, and serialising is one copy.
//
// set() and add() throw std::invalid_argument, naming the field, for a name that is not a token; for a value with CR,
// LF, NUL or another control byte, or with a blank at either end (RFC 9110, section 5.5); and for the fields that frame
// a message (Content-Length, Transfer-Encoding, Connection, Keep-Alive, TE, Trailer), which the server sets. They have
// no effect then. Upgrade lists the supported protocols (required in a 426); the server adds what HTTP/1.1 requires
// with it. Names and values may be views into the same fields.
class Fields {
public:
  Fields() noexcept = default;
  Fields(Fields&& other) noexcept;
  Fields& operator=(Fields&& other) noexcept;
  Fields(const Fields& other);
  Fields& operator=(const Fields& other);
  ~Fields() { release(); }

  // Replaces all fields of that name.
  void set(std::string_view name, std::string_view value);
  // Adds a field; others of the same name stay (Set-Cookie, Link, Vary).
  void add(std::string_view name, std::string_view value);
  // The same without the checks: for a name and a value that were checked before.
  void add_checked(std::string_view name, std::string_view value) { append(name, value); }
  // Adds all fields of `other`, which is another object, by one copy: for fields that many responses have.
  void add_all(const Fields& other);
  // The same without a copy, if there are no fields yet: `block` must stay as it is until the server has ended, as what
  // a middleware owns does. The first change copies it.
  void share(const Fields& block);
  // Returns the number of removed fields.
  std::size_t remove(std::string_view name);
  // The first value; valid until the next change.
  std::optional<std::string_view> find(std::string_view name) const noexcept;
  bool empty() const noexcept { return size_ == 0; }

  // Without a search: false if there is no field of the name, or none whose name is in `others`.
  bool may_have(std::string_view name) const noexcept { return (names() & name_bit(name)) != 0; }
  bool may_share_a_name(const Fields& others) const noexcept { return (names() & others.names()) != 0; }

  // All fields in HTTP/1.1's format, each line with its CRLF.
  std::string_view text() const noexcept { return {data_, size_}; }
  // The text is a block of share(), and the same as long as its address.
  bool is_shared() const noexcept { return capacity_ == 0 && data_ != nullptr; }

  class Iterator {
  public:
    explicit Iterator(std::string_view rest) noexcept : rest_(rest) { read(); }
    const Field& operator*() const noexcept { return field_; }
    const Field* operator->() const noexcept { return &field_; }
    Iterator& operator++() noexcept {
      rest_.remove_prefix(length_);
      read();
      return *this;
    }
    bool operator==(const Iterator& other) const noexcept { return rest_.size() == other.rest_.size(); }

  private:
    void read() noexcept;
    std::string_view rest_;
    Field field_;
    std::size_t length_ = 0;
  };
  Iterator begin() const noexcept { return Iterator(text()); }
  Iterator end() const noexcept { return Iterator({}); }

private:
  // One of 64 bits for each name, so that most names that are not there need no search. Date, Server and Upgrade, which
  // servers look for in each response, have bits that no other usual name has.
  static constexpr std::uint64_t name_bit(std::string_view name) noexcept {
    if (name.empty()) return 0;
    const auto lower = [](char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) | 0x20U; };
    const std::size_t hash = lower(name.front()) * 3 + lower(name.back()) * 22 + name.size() * 5;
    return std::uint64_t{1} << (hash % 64);
  }
  // In front of the text: the bits of its names, and perhaps of names that were removed.
  std::uint64_t names() const noexcept {
    std::uint64_t names = 0;
    if (data_ != nullptr) __builtin_memcpy(&names, data_ - names_size, names_size);
    return names;
  }
  static constexpr std::size_t names_size = sizeof(std::uint64_t);

  void add_names(std::uint64_t more) noexcept;
  void allocate(std::size_t capacity);
  void reserve(std::size_t size);
  void append(std::string_view name, std::string_view value);
  std::size_t remove_before(std::size_t end, std::string_view name) noexcept;
  void erase(std::size_t at, std::size_t length) noexcept;
  void release() noexcept;

  char* data_ = nullptr;  // behind the names
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;  // 0: there is no block, or it belongs to others
};

}  // namespace tern
