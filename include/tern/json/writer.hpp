// Writes JSON (RFC 8259) value by value. Reflection generates calls of this class for a struct.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <tern/json/reflect.hpp>

namespace tern::json {

class Writer;

namespace detail {

template <class T>
void write_value(Writer& writer, const T& value);

struct WriteMember {
  std::string_view name;
  std::string_view quoted;  // ,"name": or empty if the name has something to escape
  void (*write)(Writer&, const void*);
};

void write_struct(Writer& writer, const WriteMember* members, const void* const* addresses, std::size_t count);
// Omits the members in `omitted`, by bit.
void write_struct_without(Writer& writer, const WriteMember* members, const void* const* addresses, std::size_t count,
                          std::uint64_t omitted, const Discriminator& discriminator);
void write_time(Writer& writer, std::int64_t ticks, std::int64_t numerator, std::int64_t denominator);

}  // namespace detail

// Appends to a string and inserts commas. The caller must make calls that form one value: a matching end for every
// begin, and a key before every value of an object.
class Writer {
public:
  explicit Writer(std::string& out) noexcept : out_(out) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Any type that can be written (needs write.hpp).
  template <class T>
  void value(const T& value) {
    detail::write_value(*this, value);
  }

  void null();
  void boolean(bool value);
  void integer(std::int64_t value);
  void unsigned_integer(std::uint64_t value);
  // The shortest text that parses to the same number. NaN and infinities, which JSON does not have, are written as
  // null.
  void number(double value);
  void number(float value);
  // Text in quotes, escaped. Bytes that are not UTF-8 become U+FFFD.
  void text(std::string_view value);
  // A value in JSON; not validated.
  void raw(std::string_view json);

  void begin_array();
  void end_array();
  void begin_object();
  void key(std::string_view name);
  void end_object();

private:
  friend void detail::write_struct(Writer&, const detail::WriteMember*, const void* const*, std::size_t);
  friend void detail::write_struct_without(Writer&, const detail::WriteMember*, const void* const*, std::size_t,
                                           std::uint64_t, const Discriminator&);

  void member(const detail::WriteMember& member, const void* value);

  void separate() {
    if (comma_) out_.push_back(',');
    comma_ = true;
  }

  std::string& out_;
  bool comma_ = false;  // whether the next value or key comes after another one
};

}  // namespace tern::json
