// Repeated blocks, and changes of the dynamic table in between.
#include "http2/header_block_cache.hpp"

#include "http2/session_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

namespace tern::http2 {
namespace {

using namespace std::string_literals;

constexpr std::uint8_t whole = NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM;

RequestHead some_head() {
  RequestHead head;
  head.method = Method::Delete;
  head.target = "/a?b=c";
  head.parts = {{}, head.target.substr(0, 2), head.target.substr(3)};
  head.plain_path = true;
  head.fields.add("host", "here");
  head.fields.add("empty", "");
  return head;
}

TEST(HeaderBlockCache, are_worth_keeping_when_they_come_twice) {
  HeaderBlockCache cache;
  bool cacheable = true;
  EXPECT_EQ(cache.find("\x82\x84", cacheable), nullptr);
  EXPECT_FALSE(cacheable);
  EXPECT_EQ(cache.find("\x82\x84", cacheable), nullptr);
  EXPECT_TRUE(cacheable);
  cache.store("\x82\x84", some_head(), Priority{1, true});
  const CachedHeaderBlock* known = cache.find("\x82\x84", cacheable);
  ASSERT_NE(known, nullptr);
  EXPECT_FALSE(cacheable);
  EXPECT_EQ(known->priority().value().urgency, 1);
  EXPECT_EQ(cache.find("\x82\x85", cacheable), nullptr);
}

TEST(HeaderBlockCache, give_the_same_head_with_text_of_its_own) {
  HeaderBlockCache cache;
  Arena arena;
  RequestHead head;
  {
    bool cacheable = false;
    cache.find("\x82\x84", cacheable);
    cache.store("\x82\x84", some_head(), std::nullopt);
    cache.find("\x82\x84", cacheable)->read(head, arena);
    cache.forget();
  }
  EXPECT_EQ(head.method, Method::Delete);
  EXPECT_EQ(head.version, Version::Http2);
  EXPECT_EQ(head.target, "/a?b=c");
  EXPECT_EQ(head.parts.path, "/a");
  EXPECT_EQ(head.parts.query, "b=c");
  EXPECT_EQ(head.parts.authority, "");
  EXPECT_TRUE(head.plain_path);
  ASSERT_EQ(head.fields.size(), 2U);
  EXPECT_EQ(head.fields.find("host"), "here");
  EXPECT_EQ(head.fields.find("empty"), "");
}

// Whether a block that was sent twice is cached the third time, after `between`.
bool survives(std::string_view block, std::string_view between) {
  HeaderBlockCache cache;
  bool cacheable = false;
  cache.find(block, cacheable);
  cache.find(block, cacheable);
  if (cacheable) cache.store(block, some_head(), std::nullopt);
  cache.find(between, cacheable);
  return cache.find(block, cacheable) != nullptr;
}

TEST(HeaderBlockCache, last_until_the_table_changes) {
  const std::string block = "\x82\x84";
  EXPECT_TRUE(survives(block, "\x83\xff\x80\x01"));           // indexed, with long numbers
  EXPECT_TRUE(survives(block, "\x01\x01x"));                  // a literal with a name of the table
  EXPECT_TRUE(survives(block, "\x00\x01x\x81\xff\x82"s));     // with its own, and one more field
  EXPECT_TRUE(survives(block, "\x0f\x20\x03gdb"));            // a name from further behind
  EXPECT_TRUE(survives(block, "\x10\x01x\x01y"));             // never indexed
  EXPECT_FALSE(survives(block, "\x41\x01x"));                 // indexed from now on
  EXPECT_FALSE(survives(block, "\x40\x01x\x01y"));            // with a new name
  EXPECT_FALSE(survives(block, "\x10\x01x\x01y\x41\x01x"));   // the second of two
  EXPECT_FALSE(survives(block, "\x20"));                      // a new size
  EXPECT_FALSE(survives(block, "\x3f\xe1\x1f"));              // a large one
  EXPECT_FALSE(survives(block, "\x01\x05x"));                 // cut off
  EXPECT_FALSE(survives(block, "\xff"));                      // in a number
  EXPECT_FALSE(survives(block, "\xff\xff\xff\xff\xff\x01"));  // which is too large
}

TEST(HeaderBlockCache, do_not_keep_secrets_and_what_is_large) {
  EXPECT_FALSE(survives("\x82\x10\x01x\x01y", "\x83"));
  EXPECT_FALSE(survives("\x01\x7f\xc8\x03" + std::string(127 + 456, 'x'), "\x83"));
  HeaderBlockCache cache;
  bool cacheable = false;
  RequestHead head = some_head();
  const std::string much(HeaderBlockCache::max_head_bytes, 'x');
  head.fields.add("much", much);
  cache.find("\x82", cacheable);
  cache.store("\x82", head, std::nullopt);
  EXPECT_EQ(cache.find("\x82", cacheable), nullptr);
}

TEST(HeaderBlockCache, take_no_more_memory_than_they_may) {
  HeaderBlockCache cache;
  bool cacheable = false;
  const std::string much(1000, 'x');
  RequestHead head = some_head();
  head.fields.add("much", much);
  for (char c = 1; c < 100; ++c) {
    const std::string block(1, static_cast<char>(0x80 | c));
    cache.find(block, cacheable);
    cache.store(block, head, std::nullopt);
    EXPECT_NE(cache.find(block, cacheable), nullptr);  // the last one is always cached
    EXPECT_GT(cache.footprint(), 1000U);
    EXPECT_LE(cache.footprint(), HeaderBlockCache::max_cached_bytes);
  }
  cache.forget();
  EXPECT_EQ(cache.footprint(), 0U);
}

TEST(HeaderBlockCache, take_little_more_memory_than_their_text) {
  RequestHead head = some_head();
  const std::string much(1000, 'x');
  head.fields.add("much", much);
  head.fields.add("n", "v");
  const std::size_t text = 6 + 4 + 4 + 5 + 4 + 1000 + 2;
  const CachedHeaderBlock known("\x82", head, text, std::nullopt);
  EXPECT_LT(known.footprint(), sizeof(CachedHeaderBlock) + text + 100);
}

// --- On a connection ---

std::string head_frame(std::uint32_t stream, std::string_view block, std::uint8_t flags = whole) {
  return frame(NGHTTP2_HEADERS, flags, stream, block);
}

// The streams of the DATA frames in `bytes`, in order.
std::vector<std::uint32_t> content_order(std::string_view bytes) {
  std::vector<std::uint32_t> order;
  const auto byte = [&bytes](std::size_t at) { return std::uint32_t{static_cast<unsigned char>(bytes[at])}; };
  while (bytes.size() >= 9) {
    const std::uint32_t id = byte(5) << 24U | byte(6) << 16U | byte(7) << 8U | byte(8);
    if (byte(3) == NGHTTP2_DATA && (order.empty() || order.back() != id)) order.push_back(id);
    bytes.remove_prefix(std::min(bytes.size(), 9 + std::size_t{byte(0) << 16U | byte(1) << 8U | byte(2)}));
  }
  return order;
}

// "GET /" with an authority that is added to the table, and the same by its index.
const std::string adding = "\x82\x86\x84\x41\x01"s;
const std::string same = "\x82\x86\x84\xbe";

class HeaderBlockCacheOnConnection : public ::testing::Test {
protected:
  HeaderBlockCacheOnConnection() {
    fixture.answers = true;
    EXPECT_TRUE(fixture.receive(client_preface() + head_frame(1, adding + "a")));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(same), "a");
  }

  // The host of a request with this block.
  std::string ask(std::string_view block) {
    EXPECT_TRUE(fixture.receive(head_frame(next += 2, block)));
    fixture.flush();
    const auto host = fixture.stream(static_cast<std::int32_t>(next)).request().fields.find("host");
    return host ? std::string(*host) : "none";
  }

  SessionFixture fixture;
  std::uint32_t next = 1;
};

TEST_F(HeaderBlockCacheOnConnection, are_requests_like_the_first) {
  const std::string path = "\x82\x86\xbe\x04\x02/x\x00\x01n\x01v"s;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(ask(path), "a");
    const FixtureStream& stream = fixture.stream(static_cast<std::int32_t>(next));
    EXPECT_EQ(stream.request().target, "/x");
    EXPECT_EQ(stream.request().fields.find("n"), "v");
    EXPECT_EQ(stream.request().fields.size(), 2U);
    EXPECT_TRUE(stream.content_complete());
    EXPECT_TRUE(stream.seen.answered);
    EXPECT_EQ(ask(same), "a");
  }
  EXPECT_EQ(fixture.requests(), 15U);
}

TEST_F(HeaderBlockCacheOnConnection, mean_something_else_when_the_table_has_changed) {
  EXPECT_EQ(ask(adding + "b"), "b");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(same), "b");
  // A block in two frames.
  next += 2;
  ASSERT_TRUE(fixture.receive(head_frame(next, adding.substr(0, 3), NGHTTP2_FLAG_END_STREAM) +
                              frame(NGHTTP2_CONTINUATION, NGHTTP2_FLAG_END_HEADERS, next,
                                    "\x41\x01"
                                    "c")));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(same), "c");
  // A block with padding.
  next += 2;
  ASSERT_TRUE(fixture.receive(head_frame(next, "\x01"s + adding + "d" + "\0"s, whole | NGHTTP2_FLAG_PADDED)));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(same), "d");
  // Trailers.
  next += 2;
  ASSERT_TRUE(fixture.receive(head_frame(next, same, NGHTTP2_FLAG_END_HEADERS) + head_frame(next, "\x40\x01n\x01v")));
  EXPECT_EQ(ask("\x82\x86\x84\xbf"), "d");
  // On a stream that is refused.
  fixture.full = true;
  ASSERT_TRUE(fixture.receive(head_frame(next += 2, adding + "e")));
  fixture.full = false;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(same), "e");
}

TEST_F(HeaderBlockCacheOnConnection, may_come_in_pieces) {
  for (const char c : head_frame(next + 2, adding + "b") + head_frame(next + 4, same)) {
    ASSERT_TRUE(fixture.receive({&c, 1}));
  }
  next += 4;
  EXPECT_EQ(fixture.stream(static_cast<std::int32_t>(next)).request().fields.find("host"), "b");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(same), "b");
}

TEST_F(HeaderBlockCacheOnConnection, many_may_come_at_once) {
  std::string bytes;
  for (int i = 0; i < 6; ++i) bytes += head_frame(next += 2, same);
  bytes += head_frame(next += 2, adding + "b");
  for (int i = 0; i < 6; ++i) bytes += head_frame(next += 2, same);
  ASSERT_TRUE(fixture.receive(bytes));
  EXPECT_EQ(fixture.requests(), 18U);
  for (std::uint32_t id = 11; id <= next; id += 2) {
    const std::string_view host = id < 23 ? "a" : "b";
    EXPECT_EQ(fixture.stream(static_cast<std::int32_t>(id)).request().fields.find("host"), host) << id;
  }
}

TEST_F(HeaderBlockCacheOnConnection, are_no_trailers) {
  next += 2;
  const auto id = static_cast<std::int32_t>(next);
  ASSERT_TRUE(fixture.receive(head_frame(next, same, NGHTTP2_FLAG_END_HEADERS) + head_frame(next, same)));
  EXPECT_EQ(fixture.requests(), 6U);
  EXPECT_FALSE(fixture.stream(id).content_complete());
  fixture.flush();
  EXPECT_TRUE(fixture.stream(id).closed());
}

TEST_F(HeaderBlockCacheOnConnection, are_not_read_when_streams_are_refused) {
  fixture.fails = true;
  EXPECT_THROW(fixture.receive(head_frame(next + 2, same)), std::bad_alloc);
  fixture.fails = false;
  EXPECT_FALSE(fixture.receive(head_frame(next + 4, adding + "b")));
  EXPECT_EQ(fixture.requests(), 5U);
  EXPECT_TRUE(fixture.session.done());
}

TEST_F(HeaderBlockCacheOnConnection, are_not_made_of_what_is_malformed) {
  const std::string block = same + literal("connection", "close");
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(fixture.receive(head_frame(next += 2, block)));
    fixture.sent.clear();
    fixture.flush();
    EXPECT_EQ(fixture.sent, frame(NGHTTP2_RST_STREAM, 0, next, "\0\0\0\1"s));
    EXPECT_EQ(fixture.requests(), 5U);
  }
  EXPECT_EQ(ask(same), "a");
}

TEST_F(HeaderBlockCacheOnConnection, are_not_made_of_what_is_not_complete) {
  for (const std::string& block : {"\x82\x86\xbe"s, same + literal("content-length", "7")}) {
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(fixture.receive(head_frame(next += 2, block)));
      fixture.flush();
      EXPECT_TRUE(fixture.stream(static_cast<std::int32_t>(next)).closed());
      EXPECT_EQ(fixture.requests(), 5U);
    }
  }
}

TEST_F(HeaderBlockCacheOnConnection, are_not_made_of_what_is_refused) {
  for (int i = 0; i < 4; ++i) {
    ask(same + literal("x", " unfit"));
    const FixtureStream& stream = fixture.stream(static_cast<std::int32_t>(next));
    ASSERT_TRUE(stream.refused());
    EXPECT_EQ(stream.refused()->status, Status::BadRequest);
    EXPECT_TRUE(stream.seen.answered);
  }
}

TEST_F(HeaderBlockCacheOnConnection, do_not_lose_a_length_of_nothing) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(ask(same + literal("content-length", "0")), "a");
    EXPECT_EQ(fixture.stream(static_cast<std::int32_t>(next)).content_length(), 0U);
  }
}

TEST_F(HeaderBlockCacheOnConnection, may_ask_for_a_head) {
  for (int i = 0; i < 4; ++i) {
    fixture.sent.clear();
    EXPECT_EQ(ask("\x02\x04HEAD\x86\x84\xbe"), "a");
    EXPECT_EQ(fixture.stream(static_cast<std::int32_t>(next)).request().method, Method::Head);
    EXPECT_TRUE(fixture.stream(static_cast<std::int32_t>(next)).seen.answered);
    EXPECT_TRUE(content_order(fixture.sent).empty());
    EXPECT_NE(fixture.sent, "");
  }
}

TEST_F(HeaderBlockCacheOnConnection, have_cookies_joined) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(ask(same + "\x0f\x11\x03"
                         "a=1"
                         "\x0f\x11\x03"
                         "b=2"),
              "a");
    const RequestHead& head = fixture.stream(static_cast<std::int32_t>(next)).request();
    EXPECT_EQ(head.fields.find("cookie"), "a=1; b=2");
    EXPECT_EQ(head.fields.count("cookie"), 1U);
  }
}

TEST_F(HeaderBlockCacheOnConnection, have_a_priority_unless_another_came_before) {
  const std::string urgent = same + literal("priority", "u=1");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(urgent), "a");
  fixture.answers = false;
  const auto order = [&](std::string_view before) {
    EXPECT_TRUE(fixture.receive(std::string(before) + head_frame(next + 2, same) + head_frame(next + 4, urgent)));
    fixture.sent.clear();
    for (const std::uint32_t id : {next + 2, next + 4}) {
      fixture.session.answer(fixture.stream(static_cast<std::int32_t>(id)), {}, std::string(10'000, 'x'));
    }
    fixture.flush();
    std::vector<std::uint32_t> ids = content_order(fixture.sent);
    for (std::uint32_t& id : ids) id -= next;
    next += 4;
    return ids;
  };
  EXPECT_EQ(order(""), (std::vector<std::uint32_t>{4, 2}));
  const std::string id = {0, 0, 0, static_cast<char>(next + 4)};
  EXPECT_EQ(order(frame(NGHTTP2_PRIORITY_UPDATE, 0, 0, id + "u=6")), (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ(order(""), (std::vector<std::uint32_t>{4, 2}));
}

TEST_F(HeaderBlockCacheOnConnection, open_no_stream_twice) {
  EXPECT_FALSE(fixture.receive(head_frame(next, same)));
  EXPECT_EQ(fixture.requests(), 5U);
}

TEST_F(HeaderBlockCacheOnConnection, keep_the_content_of_others_whole) {
  next += 2;
  const auto id = static_cast<std::int32_t>(next);
  fixture.answers = false;
  ASSERT_TRUE(fixture.receive(head_frame(next, same, NGHTTP2_FLAG_END_HEADERS) + head_frame(next + 2, same) +
                              frame(NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, next, "content")));
  EXPECT_EQ(fixture.stream(id).content, "content");
  EXPECT_TRUE(fixture.stream(id).content_complete());
  EXPECT_TRUE(fixture.stream(id + 2).content_complete());
}

}  // namespace
}  // namespace tern::http2
