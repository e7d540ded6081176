// For the tests: feeds bytes to a MultipartParser in pieces and records a transcript. Each piece is followed by an
// unreadable page, and is overwritten once it is consumed.
#pragma once

#include <tern/http/multipart_parser.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tern::multipart::testing {

struct FeedOptions {
  std::string_view boundary = "b";
  MultipartLimits limits = {};
};

// The transcript: `part "name"`, with ` file "name"`, ` type …` and ` charset …` if present; its content, and "end"
// when it is complete; finally "form" or "reject 400: …".
// `cuts` are the positions at which `input` is split, in ascending order.
std::string feed(std::string_view input, std::span<const std::size_t> cuts, const FeedOptions& options = {});
std::string feed_whole(std::string_view input, const FeedOptions& options = {});
std::string feed_byte_by_byte(std::string_view input, const FeedOptions& options = {});

// Feeds the input whole, split at every position, and byte by byte. Fails the test if the transcripts differ.
std::string feed_every_way(std::string_view input, const FeedOptions& options = {});

}  // namespace tern::multipart::testing
