// Compression by DEFLATE as RFC 7692, section 7.2, frames it, on zlib. If Tern was built without zlib,
// deflate_available() is false, and nothing else may be called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tern::websocket {

bool deflate_available() noexcept;

// Uses about 256 KiB at 15 bits, less with smaller windows. All constructors throw std::bad_alloc.
class Deflater {
public:
  explicit Deflater(int window_bits);
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // Appends one non-empty message, which may refer to earlier ones.
  void deflate(std::string_view message, std::string& out);
  // The next message refers to no earlier one.
  void reset() noexcept;

private:
  struct State;
  std::unique_ptr<State> state_;
};

// More: the budget is used up before the end of the message.
enum class InflateResult : std::uint8_t { Done, More, Malformed, TooLarge };

// Uses about 40 KiB at 15 bits.
class Inflater {
public:
  explicit Inflater(int window_bits);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Inflates one message into `out`, up to one byte beyond `max_size`. After any other result than Done, call reset().
  InflateResult inflate(std::string_view compressed, std::string& out, std::size_t max_size);
  // The same in steps: begin(), then resume() with the same `out` while it returns More. Each call subtracts the bytes
  // read and written from `budget`, and exceeds it by less than 4 KiB.
  void begin(std::string_view compressed) noexcept;
  InflateResult resume(std::string& out, std::size_t max_size, std::size_t& budget);
  // After More: copies the remaining input, which the caller may then free.
  void copy_input();
  void reset() noexcept;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tern::websocket
