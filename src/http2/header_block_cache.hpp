// A cache of recent header blocks (RFC 7541). Equal blocks decode to equal fields until a block changes the dynamic
// table of HPACK, so that a repeated request is not decoded and parsed again. A client that repeats a request with the
// same fields sends equal blocks from the second time on.
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

// The parsed form of a block: a complete request without content, neither malformed nor rejected.
class CachedHeaderBlock {
public:
  // `text`: bytes of text in `head`.
  CachedHeaderBlock(std::string_view block, const RequestHead& head, std::size_t text,
                    const std::optional<Priority>& priority);

  bool is(std::string_view block) const noexcept { return block == block_; }
  const std::optional<Priority>& priority() const noexcept { return priority_; }
  // Its memory in bytes.
  std::size_t footprint() const noexcept;
  // Fills the empty `head` again, with text in `arena`.
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

  Span append_text(std::string_view text);

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

// The cache of one connection. Allocates nothing before a block is repeated, and at most max_cached_bytes.
class HeaderBlockCache {
public:
  // Larger ones are not cached.
  static constexpr std::size_t max_block_bytes = 512;    // per block
  static constexpr std::size_t max_head_bytes = 2048;    // of text, per head
  static constexpr std::size_t max_cached_bytes = 4096;  // of memory for all entries; new entries replace old ones

  // Null if the block is not cached. Must be called for every block that is a candidate; sets `cacheable` if store() is
  // worthwhile, which is from the second occurrence on. Clears the cache if the block changes the dynamic table.
  const CachedHeaderBlock* find(std::string_view block, bool& cacheable);
  // Clears the cache after a block that find() has not seen.
  void forget() noexcept;
  // Stores the head that `block` decodes to.
  void store(std::string_view block, const RequestHead& head, const std::optional<Priority>& priority);
  std::size_t footprint() const noexcept { return footprint_; }

private:
  static constexpr std::size_t slots = 8;

  static std::size_t hash_of(std::string_view block) noexcept;  // not 0
  static std::size_t slot_of(std::size_t hash) noexcept { return hash / 2 % slots; }
  void drop(std::size_t slot) noexcept;

  // Indexed by slot_of(). A hash of 0 means that the slot is empty.
  std::array<std::unique_ptr<CachedHeaderBlock>, slots> entries_;
  std::array<std::size_t, slots> entry_hashes_{};
  std::array<std::size_t, slots> seen_hashes_{};  // of blocks that occurred once
  std::size_t footprint_ = 0;                     // of all entries
};

}  // namespace tern::http2
