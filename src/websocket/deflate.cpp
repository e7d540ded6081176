#include "websocket/deflate.hpp"

#include <zlib.h>
#include <algorithm>
#include <limits>
#include <new>

namespace tern::websocket {
namespace {

// The end of a flushed message, which is not sent (RFC 7692, section 7.2.1).
constexpr std::string_view tail("\0\0\xFF\xFF", 4);
constexpr std::size_t min_output_room = 4096;
constexpr int level = 6;
constexpr int at_block_end = 128;  // bit in z_stream::data_type

Bytef* to_zlib(const char* bytes) noexcept {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes));  // zlib does not write there
}

uInt to_uint(std::size_t size) noexcept {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

}  // namespace

bool deflate_available() noexcept {
  return true;
}

struct Deflater::State {
  z_stream stream{};
};

Deflater::Deflater(int window_bits) : state_(std::make_unique<State>()) {
  const int memory = std::clamp(window_bits - 7, 1, 8);
  if (deflateInit2(&state_->stream, level, Z_DEFLATED, -window_bits, memory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

Deflater::~Deflater() {
  deflateEnd(&state_->stream);
}

void Deflater::reset() noexcept {
  deflateReset(&state_->stream);
}

void Deflater::deflate(std::string_view message, std::string& out) {
  z_stream& stream = state_->stream;
  const std::size_t before = out.size();
  std::size_t room = deflateBound(&stream, static_cast<uLong>(message.size())) + 16;
  while (!message.empty()) {
    const uInt consumed = to_uint(message.size());
    stream.next_in = to_zlib(message.data());
    stream.avail_in = consumed;
    message.remove_prefix(consumed);
    do {
      const std::size_t at = out.size();
      out.resize(at + room);
      stream.next_out = to_zlib(out.data() + at);
      stream.avail_out = to_uint(room);
      const uInt offered = stream.avail_out;
      ::deflate(&stream, message.empty() ? Z_SYNC_FLUSH : Z_NO_FLUSH);
      out.resize(at + (offered - stream.avail_out));
      room = min_output_room;
    } while (stream.avail_out == 0 || stream.avail_in != 0);
  }
  if (std::string_view(out).substr(before).ends_with(tail)) out.resize(out.size() - tail.size());
}

struct Inflater::State {
  z_stream stream{};
  std::string_view input;  // not passed to the stream yet
  std::string kept;        // owns the input after copy_input()
  bool in_tail = false;
  bool has_output = false;  // the stream has more output
  // Passes more input to the stream. False at the end.
  bool feed() noexcept;
  // One step: writes behind `out`, up to `max_size` bytes in all.
  InflateResult step(std::string& out, std::size_t max_size, std::size_t budget);
};

Inflater::Inflater(int window_bits) : state_(std::make_unique<State>()) {
  if (inflateInit2(&state_->stream, -window_bits) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() {
  inflateEnd(&state_->stream);
}

void Inflater::reset() noexcept {
  inflateReset(&state_->stream);
}

bool Inflater::State::feed() noexcept {
  if (stream.avail_in != 0 || has_output) return true;
  if (input.empty()) {
    if (in_tail) return false;
    in_tail = true;
    input = tail;
  }
  const uInt consumed = to_uint(input.size());
  stream.next_in = to_zlib(input.data());
  stream.avail_in = consumed;
  input.remove_prefix(consumed);
  return true;
}

// Reads up to one byte beyond `max_size` to detect messages that are too large. The tail is read block by block: a
// message that does not end with a block is truncated.
InflateResult Inflater::State::step(std::string& out, std::size_t max_size, std::size_t budget) {
  const std::size_t at = out.size();
  const std::size_t left = max_size - at;  // one more byte detects a message that is too large
  std::size_t room = std::min(std::max(min_output_room, at), std::max(min_output_room, budget));
  room = std::min(room, left + (left != static_cast<std::size_t>(-1) ? 1 : 0));
  out.resize(at + room);
  stream.next_out = to_zlib(out.data() + at);
  stream.avail_out = to_uint(room);
  const uInt offered = stream.avail_out;
  const int result = ::inflate(&stream, in_tail ? Z_BLOCK : Z_SYNC_FLUSH);
  out.resize(at + (offered - stream.avail_out));
  has_output = stream.avail_out == 0;
  if (result == Z_STREAM_END) {  // a final block ends the stream, not the message: the next data begins a new stream
    inflateReset(&stream);
    stream.data_type = at_block_end;
  } else if (result != Z_OK && result != Z_BUF_ERROR) {
    return InflateResult::Malformed;
  }
  return out.size() > max_size ? InflateResult::TooLarge : InflateResult::Done;
}

InflateResult Inflater::inflate(std::string_view compressed, std::string& out, std::size_t max_size) {
  out.clear();
  begin(compressed);
  auto unlimited = static_cast<std::size_t>(-1);
  return resume(out, max_size, unlimited);
}

void Inflater::begin(std::string_view compressed) noexcept {
  state_->stream.avail_in = 0;
  state_->input = compressed;
  state_->kept.clear();
  state_->in_tail = state_->has_output = false;
}

InflateResult Inflater::resume(std::string& out, std::size_t max_size, std::size_t& budget) {
  State& state = *state_;
  while (state.feed()) {
    if (budget == 0) return InflateResult::More;
    const std::size_t before = out.size();
    const uInt given = state.stream.avail_in;
    const InflateResult outcome = state.step(out, max_size, budget);
    budget -= std::min(budget, (out.size() - before) + (given - state.stream.avail_in));
    if (outcome != InflateResult::Done) return outcome;
  }
  return (state.stream.data_type & at_block_end) != 0 ? InflateResult::Done : InflateResult::Malformed;
}

// The tail is static and need not be copied.
void Inflater::copy_input() {
  State& state = *state_;
  if (state.in_tail) return;
  std::string rest(reinterpret_cast<const char*>(state.stream.next_in), state.stream.avail_in);
  rest.append(state.input);
  state.kept = std::move(rest);
  const uInt consumed = to_uint(state.kept.size());
  state.stream.next_in = to_zlib(state.kept.data());
  state.stream.avail_in = consumed;
  state.input = std::string_view(state.kept).substr(consumed);
}

}  // namespace tern::websocket
