// Header blocks that a client has sent a moment ago (RFC 7541). One that is byte for byte the same means the same as
// long as neither it nor one in between has changed the table of the compression: the request need not be decoded and
// read again. A client that asks for the same again, with the same fields, sends such blocks from the second time on.
#pragma once

#include "http2/request_rules.hpp"

#include <tern/base/arena.hpp>
#include <tern/http/request_head.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern::http2 {

// What was read from a block: a whole request without content, which was neither malformed nor refused.
class KnownBlock {
public:
  // `text`: how much of it `head` has.
  KnownBlock(std::string_view block, const RequestHead& head, std::size_t text,
             const std::optional<Priority>& priority);

  bool is(std::string_view block) const noexcept { return block == block_; }
  const std::optional<Priority>& priority() const noexcept { return priority_; }
  // Bytes of memory that it takes.
  std::size_t footprint() const noexcept;
  // The same head again: in `head`, which is empty, with its text in `arena`.
  void read(RequestHead& head, Arena& arena) const;

private:
  struct Span {
    std::uint16_t at = 0;
    std::uint16_t size = 0;
  };
  struct FieldSpan {
    Span name;
    Span value;
  };

  Span keep(std::string_view text);

  std::string block_;
  std::optional<Priority> priority_;
  std::string text_;
  Method method_;
  bool plain_path_;
  Span target_;
  Span path_;
  Span query_;
  std::vector<FieldSpan> fields_;
};

// Those of one connection. Owns nothing before a block has come twice, and never more than max_kept.
class KnownBlocks {
public:
  // Larger ones are decoded each time.
  static constexpr std::size_t max_bytes = 512;  // of a block
  static constexpr std::size_t max_text = 2048;  // of a head
  static constexpr std::size_t max_kept = 4096;  // of memory, for all of them; others go when there is a new one

  // Null when it is not known. To be asked for every block that does not change the table, and says then whether
  // keep() is worth while: from the second time on. Where the table may have changed since, nothing is known any more.
  const KnownBlock* find(std::string_view block, bool& worth_keeping);
  // Somebody has seen a block that nobody has looked at here.
  void forget() noexcept;
  // What `block` has been read as.
  void keep(std::string_view block, const RequestHead& head, const std::optional<Priority>& priority);
  std::size_t footprint() const noexcept { return footprint_; }

private:
  static constexpr std::size_t slots = 8;

  static std::size_t hash_of(std::string_view block) noexcept;  // not 0
  static std::size_t slot_of(std::size_t hash) noexcept { return hash / 2 % slots; }
  void drop(std::size_t slot) noexcept;

  // By slot_of(). Hashes are 0 where there is none.
  std::array<std::unique_ptr<KnownBlock>, slots> known_;
  std::array<std::size_t, slots> known_hashes_{};
  std::array<std::size_t, slots> seen_hashes_{};  // of blocks that have come once
  std::size_t footprint_ = 0;                     // of those that are known
};

}  // namespace tern::http2
