// The last request head of a connection. A client on a persistent connection repeats its fields with each request, and
// often the whole request: a head, or a field section, that equals the last one byte for byte is not parsed again.
#pragma once

#include "http1/framing.hpp"

#include <tern/http/request_head.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace tern::http1 {

// Part of a connection. Allocates one block of the size of the head, when a second head arrives.
class RequestHeadCache {
public:
  // Larger heads are not cached.
  static constexpr std::size_t max_bytes = 1536;
  static constexpr std::size_t max_fields = 32;

  // If `bytes` begin with the cached head, overwrites `head` with views into `bytes`, sets `framing`, and returns the
  // size of the head. Otherwise returns 0 without effect.
  std::size_t read_head(std::string_view bytes, RequestHead& head, Framing& framing);
  // The same for the field section, with the empty line at its end, of a request whose request line was already parsed
  // into `head` and `framing`.
  std::size_t read_fields(std::string_view bytes, RequestHead& head, Framing& framing);

  // Stores a head that was parsed from `bytes`; its first `fields_at` bytes are the request line. If the heads of a
  // connection always differ, only some of them are stored and compared. Without memory it stores nothing.
  void store(std::string_view bytes, std::size_t fields_at, const RequestHead& head, const Framing& framing) noexcept;

private:
  struct Span {
    std::uint16_t at = 0;
    std::uint16_t size = 0;
  };
  // Followed in memory by a name and a value for each field, and the bytes of the head.
  struct Entry {
    std::uint16_t size = 0;
    std::uint16_t fields_at = 0;
    std::uint16_t field_count = 0;
    bool plain_path = false;
    Framing framing;
    Span target;
    Span path;
    Span query;

    Span* spans() noexcept { return reinterpret_cast<Span*>(this + 1); }
    char* bytes() noexcept { return reinterpret_cast<char*>(spans() + 2 * std::size_t{field_count}); }
    std::size_t block_size() const noexcept { return sizeof(Entry) + 2 * field_count * sizeof(Span) + size; }
  };
  struct Free {
    void operator()(Entry* entry) const noexcept;
  };

  bool counts_as_miss() noexcept;
  Entry* make_entry(std::size_t bytes, std::size_t field_count) noexcept;
  void add_fields(const char* base, RequestHead& head) const;

  std::unique_ptr<Entry, Free> entry_;
  std::uint8_t misses_ = 0;  // in a row
};

}  // namespace tern::http1
