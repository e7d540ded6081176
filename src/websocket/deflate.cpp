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
  // One step: fills the room behind `out`, which may grow up to `most`.
  Inflated step(std::string& out, std::size_t most, int flush);
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

// A byte more than may be had shows that there are too many.
Inflated Inflater::State::step(std::string& out, std::size_t most, int flush) {
  const std::size_t at = out.size();
  const std::size_t left = most - at;  // and one byte more, to see that it is too large
  const std::size_t room = std::min(std::max(first_room, at), left + (left != static_cast<std::size_t>(-1) ? 1 : 0));
  out.resize(at + room);
  stream.next_out = to_zlib(out.data() + at);
  stream.avail_out = some_of(room);
  const uInt offered = stream.avail_out;
  const int result = ::inflate(&stream, flush);
  out.resize(at + (offered - stream.avail_out));
  if (result == Z_STREAM_END) {  // a final block ends the stream, not the message: what follows begins anew
    inflateReset(&stream);
    stream.data_type = at_block_end;
  } else if (result != Z_OK && result != Z_BUF_ERROR) {
    return Inflated::Malformed;
  }
  return out.size() > most ? Inflated::TooLarge : Inflated::Done;
}

Inflated Inflater::inflate(std::string_view compressed, std::string& out, std::size_t most) {
  z_stream& stream = state_->stream;
  out.clear();
  while (!compressed.empty()) {
    const uInt taken = some_of(compressed.size());
    stream.next_in = to_zlib(compressed.data());
    stream.avail_in = taken;
    compressed.remove_prefix(taken);
    do {
      const Inflated outcome = state_->step(out, most, Z_SYNC_FLUSH);
      if (outcome != Inflated::Done) return outcome;
    } while (stream.avail_in != 0 || stream.avail_out == 0);
  }
  stream.next_in = to_zlib(tail.data());
  stream.avail_in = static_cast<uInt>(tail.size());
  // Block by block: the end of the message is the end of a block, or something is missing.
  do {
    const Inflated outcome = state_->step(out, most, Z_BLOCK);
    if (outcome != Inflated::Done) return outcome;
  } while (stream.avail_in != 0 || stream.avail_out == 0);
  return (stream.data_type & at_block_end) != 0 ? Inflated::Done : Inflated::Malformed;
}

}  // namespace tern::websocket
