// The compression of messages by DEFLATE as RFC 7692 frames it (section 7.2), on zlib. Where Tern was built without
// zlib, deflate_available() is false and nothing else is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tern::websocket {

bool deflate_available() noexcept;

// Owns some 256 KiB at 15 bits, less with smaller windows. All constructors throw std::bad_alloc.
class Deflater {
public:
  explicit Deflater(int window_bits);
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // Appends one message, not empty, which may refer to those before it.
  void deflate(std::string_view message, std::string& out);
  // What comes next refers to nothing before it.
  void reset() noexcept;

private:
  struct State;
  std::unique_ptr<State> state_;
};

// More: the budget is used up, and the message has to be continued.
enum class Inflated : std::uint8_t { Done, More, Malformed, TooLarge };

// Owns some 40 KiB at 15 bits.
class Inflater {
public:
  explicit Inflater(int window_bits);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Puts one message into `out`, which never holds more than one byte above `most`. After anything but Done, reset().
  Inflated inflate(std::string_view compressed, std::string& out, std::size_t most);
  // The same in steps: begin(), then resume() with the same `out` as long as it says More. Each takes what it has read
  // and written from `budget`, and goes beyond it by less than 4 KiB.
  void begin(std::string_view compressed) noexcept;
  Inflated resume(std::string& out, std::size_t most, std::size_t& budget);
  // After More: copies the input that is left, which may go then.
  void keep_input();
  void reset() noexcept;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tern::websocket
