// Compresses and decompresses the messages of a connection. Without context takeover, all connections of a loop share
// their codecs; with it, a connection needs windows of its own, which are allocated at first use.
#pragma once

#include "websocket/deflate.hpp"
#include "websocket/extension.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tern::websocket {

// The shared codecs of one loop.
class SharedCodecs {
public:
  Deflater& deflater(int bits);
  // Exclusive until release_inflater(). Has the largest window, which can read all others.
  std::unique_ptr<Inflater> acquire_inflater();
  void release_inflater(std::unique_ptr<Inflater> inflater) noexcept;

private:
  std::array<std::unique_ptr<Deflater>, 16> deflaters_;  // indexed by window bits
  std::unique_ptr<Inflater> spare_inflater_;
};

// The codec of one connection. `shared` outlives it.
class Codec {
public:
  Codec(const DeflateParameters& parameters, SharedCodecs& shared) noexcept
      : parameters_(parameters), shared_(&shared) {}

  const DeflateParameters& parameters() const noexcept { return parameters_; }
  void deflate(std::string_view message, std::string& out);
  // Inflates one message into `out`, within budget(). After More, the rest was copied: resume() continues with the same
  // `out` when there is a budget again.
  InflateResult inflate(std::string_view compressed, std::string& out, std::size_t max_size);
  InflateResult resume(std::string& out, std::size_t max_size);
  bool inflating() const noexcept { return inflating_; }
  // Discards the message that is being inflated; the inflater must not be used afterwards.
  void abandon() noexcept;
  // Bytes that inflating may still read and write before it returns More.
  std::size_t budget() const noexcept { return budget_; }
  void set_budget(std::size_t bytes) noexcept { budget_ = bytes; }
  // Whether a message that was deflated with a window of `bits` and without context may be sent here unchanged.
  // Afterwards, call reset_deflater(): the peer's window has moved, the deflater's has not.
  bool accepts_window(int bits) const noexcept { return bits <= parameters_.server_window_bits; }
  void reset_deflater() noexcept;

private:
  DeflateParameters parameters_;
  SharedCodecs* shared_;
  std::unique_ptr<Deflater> deflater_;
  std::unique_ptr<Inflater> inflater_;  // owned, or acquired while a message is inflated
  std::size_t budget_ = static_cast<std::size_t>(-1);
  bool inflating_ = false;
};

}  // namespace tern::websocket
