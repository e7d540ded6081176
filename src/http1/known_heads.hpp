// Heads that were read a moment ago. A client on a kept connection sends the same fields with each of its requests, and
// often the same request: a head, or its field section, that is byte for byte one that has been read need not be read
// again.
//
// What is kept is shared by the connections of a loop. Bytes are compared in a time that depends on their number alone,
// so that nobody learns by measuring how much of his guess at somebody else's fields is right.
#pragma once

#include "http1/facts.hpp"

#include <tern/http/request_head.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace tern::http1 {

class KnownHeads {
public:
  // Larger heads are read each time.
  static constexpr std::size_t max_bytes = 1536;
  static constexpr std::size_t max_fields = 32;

  // Kept in a connection: where its last head is, and how often in a row it was of no use.
  struct Place {
    std::uint8_t slot = 0;
    std::uint8_t misses = 0;
  };

  // Where `bytes` begin with the head at `place`, fills `head`, whatever it held, with views into `bytes`, and `facts`,
  // and returns its size; otherwise 0, and nothing has changed.
  std::size_t read_head(std::string_view bytes, Place& place, RequestHead& head, Facts& facts) const;
  // The same for the field section, including the empty line behind it, of a request whose request line has been read
  // into `head` and `facts`.
  std::size_t read_fields(std::string_view bytes, Place& place, RequestHead& head, Facts& facts) const;

  // Keeps what was read from `bytes`, a whole head of which the first `fields_at` bytes are the request line. From a
  // connection whose heads always differ it takes one only now and then, and compares only what follows that.
  void keep(std::string_view bytes, std::size_t fields_at, const RequestHead& head, const Facts& facts, Place& place);

private:
  static constexpr std::size_t slots = 16;

  struct Span {
    std::uint16_t at = 0;
    std::uint16_t size = 0;
  };
  struct Entry {
    std::uint16_t size = 0;
    std::uint16_t fields_at = 0;
    std::uint16_t field_count = 0;
    bool plain_path = false;
    Facts facts;
    Span target;
    Span path;
    Span query;
    const void* memo = nullptr;  // RequestHead::memo
    std::array<Span, 2 * max_fields> fields;
    std::array<char, max_bytes> bytes;
  };

  Entry* entry_at(Place place) const noexcept;
  static void add_fields(const Entry& entry, const char* base, RequestHead& head);

  std::array<std::unique_ptr<Entry>, slots> entries_;
};

}  // namespace tern::http1
