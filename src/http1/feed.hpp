// For the tests: feeds bytes to a Connection in pieces, as a server does, and records a transcript. An unreadable page
// follows the last byte, so that reading past the end crashes the test.
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
  bool take_content = true;  // uses take_content() where possible
};

// The transcript: each request with its fields, "content: …" when it is complete, "reject 400: …" and "closed".
// Incomplete input at the end is "waiting for …". Each request is answered at its end.
// `cuts` are the positions at which `input` is split, in ascending order.
std::string feed(std::string_view input, std::span<const std::size_t> cuts, const FeedOptions& options = {});
std::string feed_whole(std::string_view input, const FeedOptions& options = {});
std::string feed_byte_by_byte(std::string_view input, const FeedOptions& options = {});

// Feeds the input whole, split at every position, and byte by byte. Fails the test if the transcripts differ.
std::string feed_every_way(std::string_view input, const FeedOptions& options = {});

}  // namespace tern::http1::testing
