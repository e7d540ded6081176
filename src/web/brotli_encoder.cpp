#include "web/brotli_encoder.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

namespace tern::web {

BrotliMemory::~BrotliMemory() {
  while (first_.next != &first_) release(this, first_.next + 1);
}

void* BrotliMemory::allocate(void* memory, std::size_t size) {
  auto& self = *static_cast<BrotliMemory*>(memory);
  auto* const block = static_cast<Block*>(std::malloc(sizeof(Block) + size));
  if (block == nullptr) {
    if (self.on_failure != nullptr) std::longjmp(*self.on_failure, 1);
    return nullptr;
  }
  block->previous = &self.first_;
  block->next = self.first_.next;
  block->next->previous = self.first_.next = block;
  return block + 1;
}

void BrotliMemory::release(void*, void* address) {
  if (address == nullptr) return;
  Block* const block = static_cast<Block*>(address) - 1;
  block->previous->next = block->next;
  block->next->previous = block->previous;
  std::free(block);
}

// Brotli 1.0.9 writes metadata of one byte with the length zero, which cannot be decoded: two bytes instead.
BrotliEncoder::BrotliEncoder(const EncoderSettings& settings)
    : state_(BrotliEncoderCreateInstance(&BrotliMemory::allocate, &BrotliMemory::release, &memory_)),
      padding_(settings.padding == 1 ? 2 : settings.padding, ' ') {
  if (state_ == nullptr) throw std::bad_alloc();
  int bits = stream_window_bits;
  if (settings.size) {
    bits = window_bits(*settings.size, stream_window_bits, BROTLI_DEFAULT_WINDOW);
    set(BROTLI_PARAM_SIZE_HINT, std::min<std::size_t>(*settings.size, std::numeric_limits<std::uint32_t>::max()));
  }
  set(BROTLI_PARAM_LGWIN, static_cast<std::size_t>(bits));
  set(BROTLI_PARAM_QUALITY, static_cast<std::size_t>(settings.level));
}

void BrotliEncoder::encode(std::string_view bytes, Step step, std::string& out) {
  if (!padding_.empty()) {
    run(BROTLI_OPERATION_EMIT_METADATA, padding_, out);
    padding_.clear();
  }
  run(step == Step::Finish  ? BROTLI_OPERATION_FINISH
      : step == Step::Flush ? BROTLI_OPERATION_FLUSH
                            : BROTLI_OPERATION_PROCESS,
      bytes, out);
}

void BrotliEncoder::set(BrotliEncoderParameter parameter, std::size_t value) {
  BrotliEncoderSetParameter(state_, parameter, static_cast<std::uint32_t>(value));
}

// Until a call has no output: metadata ends with such a call.
void BrotliEncoder::run(BrotliEncoderOperation operation, std::string_view bytes, std::string& out) {
  std::size_t left = bytes.size();
  const auto* next = reinterpret_cast<const std::uint8_t*>(bytes.data());
  bool has_output = false;
  do {
    if (!step(operation, left, next)) throw std::bad_alloc();  // its only failure
    has_output = take_output(out);
  } while (left != 0 || has_output);
}

// A function without objects of its own, since a failed allocation jumps back to it. After a failure the encoder is
// unusable.
bool BrotliEncoder::step(BrotliEncoderOperation operation, std::size_t& left, const std::uint8_t*& next) noexcept {
  std::jmp_buf failed;
  if (state_ == nullptr) return false;
  if (setjmp(failed) != 0) {
    memory_.on_failure = nullptr;
    state_ = nullptr;
    return false;
  }
  memory_.on_failure = &failed;
  std::size_t room = 0;
  const bool done =
      BrotliEncoderCompressStream(state_, operation, &left, &next, &room, nullptr, nullptr) == BROTLI_TRUE;
  memory_.on_failure = nullptr;
  return done;
}

bool BrotliEncoder::take_output(std::string& out) {
  const std::size_t before = out.size();
  std::size_t size = 0;  // as much as there is
  while (const std::uint8_t* coded = BrotliEncoderTakeOutput(state_, &size)) {
    out.append(reinterpret_cast<const char*>(coded), size);
    size = 0;
  }
  return out.size() != before;
}

}  // namespace tern::web
