// ContentDecoder: decodes the content of a request (RFC 9110, section 8.4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tern::http {

class ContentDecoder {
public:
  enum class State : std::uint8_t {
    NeedsInput,  // everything was decoded
    HasMore,     // to be called again, with the rest of the input
    Malformed,   // also data behind the end
    TooLarge,    // an inner coding is
    OutOfMemory,
  };
  struct Decoded {
    State state = State::NeedsInput;
    std::size_t size = 0;  // bytes that were written
  };

  ContentDecoder() = default;
  ContentDecoder(const ContentDecoder&) = delete;
  ContentDecoder& operator=(const ContentDecoder&) = delete;
  virtual ~ContentDecoder() = default;

  // Takes what it uses from the front of `input`, and writes at most `room` bytes. The time of a call is bounded by the
  // sizes of both.
  virtual Decoded decode(std::string_view& input, char* out, std::size_t room) = 0;
  // Whether the input may end here.
  virtual bool complete() const noexcept = 0;
  // Bytes of memory in use, which count towards the budget for contents.
  virtual std::size_t memory() const noexcept = 0;
};

}  // namespace tern::http
