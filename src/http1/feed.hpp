// For the tests: feeds bytes to a Connection the way a server does, in whatever pieces, and writes down what comes out.
// The bytes end at a page that cannot be read, so that looking one byte too far ends the test.
#pragma once

#include "base/guarded_text.hpp"
#include "http1/connection.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tern::http1::testing {

using tern::testing::GuardedText;

struct FeedOptions {
  Limits limits;
  bool take_content = true;     // through the short cut, where it says yes
  KnownHeads* known = nullptr;  // what was read before
};

// The transcript: each request with its fields, "content: …" when it is complete, "reject 400: …" and "closed"; what is
// incomplete at the end of the input is "waiting for …". Each request is answered at its end.
// `cuts` are the positions at which `input` is split, in ascending order.
std::string feed(std::string_view input, std::span<const std::size_t> cuts, const FeedOptions& options = {});
std::string feed_whole(std::string_view input, const FeedOptions& options = {});
std::string feed_byte_by_byte(std::string_view input, const FeedOptions& options = {});

// Feeds the input whole, split at every position, and byte by byte: fails the test where the transcripts differ.
std::string feed_every_way(std::string_view input, const FeedOptions& options = {});

}  // namespace tern::http1::testing
