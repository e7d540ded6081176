// Messages of PostgreSQL's protocol 3.0 ("Frontend/Backend Protocol", chapters "Message Formats" and "Extended Query"):
//
//   message = type(1 byte) length(4 bytes, with itself, without the type) body
//
// Numbers are big-endian. Strings end with a NUL.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tern::postgres {

inline constexpr std::size_t head_size = 5;

// Appends one message; its length is set by the destructor.
class Message {
public:
  Message(std::string& out, char type) : out_(out), begin_(out.size() + 1) {
    out += type;
    out.append(4, '\0');
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  ~Message() { set_number(begin_, static_cast<std::uint32_t>(out_.size() - begin_)); }

  void add_byte(char byte) { out_ += byte; }
  void add_16(std::uint16_t number) { add<2>(number); }
  void add_32(std::uint32_t number) { add<4>(number); }
  void add_64(std::uint64_t number) { add<8>(number); }
  void add_string(std::string_view text) {
    out_ += text;
    out_ += '\0';
  }
  void add_bytes(std::string_view bytes) { out_ += bytes; }

  // A length that is not known yet, of what follows until end_value().
  std::size_t begin_value() {
    out_.append(4, '\0');
    return out_.size();
  }
  void end_value(std::size_t begin) { set_number(begin - 4, static_cast<std::uint32_t>(out_.size() - begin)); }
  std::string& text() noexcept { return out_; }

private:
  template <std::size_t Size>
  void add(std::uint64_t number) {
    char bytes[Size];
    for (std::size_t i = 0; i < Size; ++i) bytes[i] = static_cast<char>(number >> (8 * (Size - 1 - i)));
    out_.append(bytes, Size);
  }
  void set_number(std::size_t at, std::uint32_t number) {
    for (std::size_t i = 0; i < 4; ++i) out_[at + i] = static_cast<char>(number >> (8 * (3 - i)));
  }

  std::string& out_;
  std::size_t begin_;
};

// Reads the body of one message. What is behind its end is 0 or empty, and sets failed().
class Reader {
public:
  explicit Reader(std::string_view body) noexcept : rest_(body) {}

  std::uint8_t read_8() noexcept { return read<std::uint8_t>(); }
  std::uint16_t read_16() noexcept { return read<std::uint16_t>(); }
  std::uint32_t read_32() noexcept { return read<std::uint32_t>(); }
  std::uint64_t read_64() noexcept { return read<std::uint64_t>(); }
  std::string_view read_string() noexcept {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) return fail();
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::string_view read_bytes(std::size_t size) noexcept {
    if (size > rest_.size()) return fail();
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  std::string_view rest() const noexcept { return rest_; }
  bool failed() const noexcept { return failed_; }

private:
  template <class Number>
  Number read() noexcept {
    if (rest_.size() < sizeof(Number)) {
      fail();
      return 0;
    }
    Number number = 0;
    std::memcpy(&number, rest_.data(), sizeof number);
    rest_.remove_prefix(sizeof number);
    return std::endian::native == std::endian::little ? std::byteswap(number) : number;
  }
  std::string_view fail() noexcept {
    failed_ = true;
    rest_ = {};
    return {};
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace tern::postgres
