// The encoder of Brotli (RFC 7932), on a library that ends the process where it gets no memory.
//
// libbrotlienc 1.0.9, as Debian builds it, calls exit() when its allocator returns null. The allocator here never does:
// it jumps back over the library's frames, which are C and have nothing to destroy, and the encoder counts as failed.
// The blocks of an encoder are linked, so that those of a failed one can be freed.
#pragma once

#include "web/encoder.hpp"

#include <brotli/encode.h>

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern::web {

// The memory of one encoder.
class BrotliMemory {
public:
  BrotliMemory() noexcept { first_.next = first_.previous = &first_; }
  // Frees all blocks.
  ~BrotliMemory();
  BrotliMemory(const BrotliMemory&) = delete;
  BrotliMemory& operator=(const BrotliMemory&) = delete;

  // For the library; the first argument is the memory.
  static void* allocate(void* memory, std::size_t size);
  static void release(void* memory, void* address);

  // While it is set, a failed allocation jumps there; otherwise it returns null.
  std::jmp_buf* on_failure = nullptr;

private:
  struct alignas(std::max_align_t) Block {
    Block* previous;
    Block* next;
  };

  Block first_{};  // of a ring
};

class BrotliEncoder final : public Encoder {
public:
  explicit BrotliEncoder(const EncoderSettings& settings);
  ~BrotliEncoder() override = default;

  void encode(std::string_view bytes, Step step, std::string& out) override;

private:
  void set(BrotliEncoderParameter parameter, std::size_t value);
  void run(BrotliEncoderOperation operation, std::string_view bytes, std::string& out);
  bool step(BrotliEncoderOperation operation, std::size_t& left, const std::uint8_t*& next) noexcept;
  bool take_output(std::string& out);

  BrotliMemory memory_;
  ::BrotliEncoderState* state_;  // in memory_, without resources of another kind
  std::string padding_;
};

}  // namespace tern::web
