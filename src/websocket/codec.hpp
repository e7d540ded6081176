// Who deflates and inflates the messages of a connection: those that refer to nothing before them can be left to codecs
// that all connections of a loop share; the others need a window of their own, which is made when it is first used.
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

// Of one loop.
class SharedCodecs {
public:
  Deflater& deflater(int bits);
  // One that nobody else uses until it is given back, with the largest window, which reads all others.
  std::unique_ptr<Inflater> take_inflater();
  void give_back(std::unique_ptr<Inflater> inflater) noexcept;

private:
  std::array<std::unique_ptr<Deflater>, 16> deflaters_;  // by bits
  std::unique_ptr<Inflater> spare_inflater_;
};

// Of one connection. `shared` outlives it.
class Codec {
public:
  Codec(const DeflateTerms& terms, SharedCodecs& shared) noexcept : terms_(terms), shared_(&shared) {}

  const DeflateTerms& terms() const noexcept { return terms_; }
  void deflate(std::string_view message, std::string& out);
  // Inflates one message into `out`, within budget(). After More, the rest has been copied: resume() goes on with the
  // same `out`, when there is a budget again.
  Inflated inflate(std::string_view compressed, std::string& out, std::size_t most);
  Inflated resume(std::string& out, std::size_t most);
  bool inflating() const noexcept { return inflating_; }
  // Gives up the message that is being inflated, if any; nothing will be inflated any more.
  void abandon() noexcept;
  // How many bytes may be read and written by inflating, before the next More.
  std::size_t budget() const noexcept { return budget_; }
  void set_budget(std::size_t bytes) noexcept { budget_ = bytes; }
  // Whether a message that was deflated with windows of `bits` and without reference to others may be sent here as it
  // is. After it was sent, skipped() has to be called: the peer's window has moved, ours has not.
  bool takes(int bits) const noexcept { return bits <= terms_.server_bits; }
  void skipped() noexcept;

private:
  DeflateTerms terms_;
  SharedCodecs* shared_;
  std::unique_ptr<Deflater> deflater_;
  std::unique_ptr<Inflater> inflater_;  // our own, or borrowed while a message is inflated
  std::size_t budget_ = static_cast<std::size_t>(-1);
  bool inflating_ = false;
};

}  // namespace tern::websocket
