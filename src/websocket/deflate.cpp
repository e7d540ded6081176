#include "websocket/deflate.hpp"

#include <zlib.h>
#include <algorithm>
#include <limits>
#include <new>

namespace tern::websocket {
namespace {

// Ends every message that was flushed, and is not sent (RFC 7692, section 7.2.1).
constexpr std::string_view tail("\0\0\xFF\xFF", 4);
constexpr std::size_t first_room = 4096;
constexpr int level = 6;
constexpr int at_block_end = 128;  // in z_stream::data_type

Bytef* to_zlib(const char* bytes) noexcept {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes));  // zlib does not write there
}

uInt some_of(std::size_t size) noexcept {
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
    const uInt taken = some_of(message.size());
    stream.next_in = to_zlib(message.data());
    stream.avail_in = taken;
    message.remove_prefix(taken);
    do {
      const std::size_t at = out.size();
      out.resize(at + room);
      stream.next_out = to_zlib(out.data() + at);
      stream.avail_out = some_of(room);
      const uInt offered = stream.avail_out;
      ::deflate(&stream, message.empty() ? Z_SYNC_FLUSH : Z_NO_FLUSH);
      out.resize(at + (offered - stream.avail_out));
      room = first_room;
    } while (stream.avail_out == 0 || stream.avail_in != 0);
  }
  if (std::string_view(out).substr(before).ends_with(tail)) out.resize(out.size() - tail.size());
}

struct Inflater::State {
  z_stream stream{};
  std::string_view input;  // behind what the stream has been given
  std::string kept;        // what `input` and the stream refer to after keep_input()
  bool in_tail = false;
  bool has_output = false;  // the stream has more of it
  // Gives the stream more input. False at the end.
  bool feed() noexcept;
  // One step: fills the room behind `out`, which may grow up to `most`.
  Inflated step(std::string& out, std::size_t most, std::size_t budget);
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
  const uInt taken = some_of(input.size());
  stream.next_in = to_zlib(input.data());
  stream.avail_in = taken;
  input.remove_prefix(taken);
  return true;
}

// A byte more than may be had shows that there are too many. The tail is read block by block: the end of the message is
// the end of a block, or something is missing.
Inflated Inflater::State::step(std::string& out, std::size_t most, std::size_t budget) {
  const std::size_t at = out.size();
  const std::size_t left = most - at;  // and one byte more, to see that it is too large
  std::size_t room = std::min(std::max(first_room, at), std::max(first_room, budget));
  room = std::min(room, left + (left != static_cast<std::size_t>(-1) ? 1 : 0));
  out.resize(at + room);
  stream.next_out = to_zlib(out.data() + at);
  stream.avail_out = some_of(room);
  const uInt offered = stream.avail_out;
  const int result = ::inflate(&stream, in_tail ? Z_BLOCK : Z_SYNC_FLUSH);
  out.resize(at + (offered - stream.avail_out));
  has_output = stream.avail_out == 0;
  if (result == Z_STREAM_END) {  // a final block ends the stream, not the message: what follows begins anew
    inflateReset(&stream);
    stream.data_type = at_block_end;
  } else if (result != Z_OK && result != Z_BUF_ERROR) {
    return Inflated::Malformed;
  }
  return out.size() > most ? Inflated::TooLarge : Inflated::Done;
}

Inflated Inflater::inflate(std::string_view compressed, std::string& out, std::size_t most) {
  out.clear();
  begin(compressed);
  auto unlimited = static_cast<std::size_t>(-1);
  return resume(out, most, unlimited);
}

void Inflater::begin(std::string_view compressed) noexcept {
  state_->stream.avail_in = 0;
  state_->input = compressed;
  state_->kept.clear();
  state_->in_tail = state_->has_output = false;
}

Inflated Inflater::resume(std::string& out, std::size_t most, std::size_t& budget) {
  State& state = *state_;
  while (state.feed()) {
    if (budget == 0) return Inflated::More;
    const std::size_t before = out.size();
    const uInt given = state.stream.avail_in;
    const Inflated outcome = state.step(out, most, budget);
    budget -= std::min(budget, (out.size() - before) + (given - state.stream.avail_in));
    if (outcome != Inflated::Done) return outcome;
  }
  return (state.stream.data_type & at_block_end) != 0 ? Inflated::Done : Inflated::Malformed;
}

// The tail is static and stays where it is.
void Inflater::keep_input() {
  State& state = *state_;
  if (state.in_tail) return;
  std::string rest(reinterpret_cast<const char*>(state.stream.next_in), state.stream.avail_in);
  rest.append(state.input);
  state.kept = std::move(rest);
  const uInt taken = some_of(state.kept.size());
  state.stream.next_in = to_zlib(state.kept.data());
  state.stream.avail_in = taken;
  state.input = std::string_view(state.kept).substr(taken);
}

}  // namespace tern::websocket
