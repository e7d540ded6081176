// Blocks that come again, and what may have changed meanwhile.
#include "http2/known_blocks.hpp"

#include "http2/test_desk.hpp"

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

TEST(KnownBlocks, are_worth_keeping_when_they_come_twice) {
  KnownBlocks blocks;
  bool worth_keeping = true;
  EXPECT_EQ(blocks.find("\x82\x84", worth_keeping), nullptr);
  EXPECT_FALSE(worth_keeping);
  EXPECT_EQ(blocks.find("\x82\x84", worth_keeping), nullptr);
  EXPECT_TRUE(worth_keeping);
  blocks.keep("\x82\x84", some_head(), Priority{1, true});
  const KnownBlock* known = blocks.find("\x82\x84", worth_keeping);
  ASSERT_NE(known, nullptr);
  EXPECT_FALSE(worth_keeping);
  EXPECT_EQ(known->priority().value().urgency, 1);
  EXPECT_EQ(blocks.find("\x82\x85", worth_keeping), nullptr);
}

TEST(KnownBlocks, give_the_same_head_with_text_of_its_own) {
  KnownBlocks blocks;
  Arena arena;
  RequestHead head;
  {
    bool worth_keeping = false;
    blocks.find("\x82\x84", worth_keeping);
    blocks.keep("\x82\x84", some_head(), std::nullopt);
    blocks.find("\x82\x84", worth_keeping)->read(head, arena);
    blocks.forget();
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

// Whether a block that has come twice is known the third time, when `between` comes before that.
bool survives(std::string_view block, std::string_view between) {
  KnownBlocks blocks;
  bool worth_keeping = false;
  blocks.find(block, worth_keeping);
  blocks.find(block, worth_keeping);
  if (worth_keeping) blocks.keep(block, some_head(), std::nullopt);
  blocks.find(between, worth_keeping);
  return blocks.find(block, worth_keeping) != nullptr;
}

TEST(KnownBlocks, last_until_the_table_changes) {
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

TEST(KnownBlocks, do_not_keep_secrets_and_what_is_large) {
  EXPECT_FALSE(survives("\x82\x10\x01x\x01y", "\x83"));
  EXPECT_FALSE(survives("\x01\x7f\xc8\x03" + std::string(127 + 456, 'x'), "\x83"));
  KnownBlocks blocks;
  bool worth_keeping = false;
  RequestHead head = some_head();
  const std::string much(KnownBlocks::max_text, 'x');
  head.fields.add("much", much);
  blocks.find("\x82", worth_keeping);
  blocks.keep("\x82", head, std::nullopt);
  EXPECT_EQ(blocks.find("\x82", worth_keeping), nullptr);
}

TEST(KnownBlocks, take_no_more_memory_than_they_may) {
  KnownBlocks blocks;
  bool worth_keeping = false;
  const std::string much(1000, 'x');
  RequestHead head = some_head();
  head.fields.add("much", much);
  for (char c = 1; c < 100; ++c) {
    const std::string block(1, static_cast<char>(0x80 | c));
    blocks.find(block, worth_keeping);
    blocks.keep(block, head, std::nullopt);
    EXPECT_NE(blocks.find(block, worth_keeping), nullptr);  // the last one always
    EXPECT_GT(blocks.footprint(), 1000U);
    EXPECT_LE(blocks.footprint(), KnownBlocks::max_kept);
  }
  blocks.forget();
  EXPECT_EQ(blocks.footprint(), 0U);
}

TEST(KnownBlocks, take_little_more_memory_than_their_text) {
  RequestHead head = some_head();
  const std::string much(1000, 'x');
  head.fields.add("much", much);
  head.fields.add("n", "v");
  const std::size_t text = 6 + 4 + 4 + 5 + 4 + 1000 + 2;
  const KnownBlock known("\x82", head, text, std::nullopt);
  EXPECT_LT(known.footprint(), sizeof(KnownBlock) + text + 100);
}

// --- On a connection ---

std::string head_frame(std::uint32_t stream, std::string_view block, std::uint8_t flags = whole) {
  return frame(NGHTTP2_HEADERS, flags, stream, block);
}

// The streams whose content is in `bytes`, in its order.
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

// "GET /" of an authority that is added to the table, and the same by the place that it has then.
const std::string adding = "\x82\x86\x84\x41\x01"s;
const std::string same = "\x82\x86\x84\xbe";

class KnownBlocksOnAConnection : public ::testing::Test {
protected:
  KnownBlocksOnAConnection() {
    desk.answers = true;
    EXPECT_TRUE(desk.receive(greeting() + head_frame(1, adding + "a")));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(same), "a");
  }

  // The host of a request with this block.
  std::string ask(std::string_view block) {
    EXPECT_TRUE(desk.receive(head_frame(next += 2, block)));
    desk.flush();
    const auto host = desk.stream(static_cast<std::int32_t>(next)).request().fields.find("host");
    return host ? std::string(*host) : "none";
  }

  Desk desk;
  std::uint32_t next = 1;
};

TEST_F(KnownBlocksOnAConnection, are_requests_like_the_first) {
  const std::string path = "\x82\x86\xbe\x04\x02/x\x00\x01n\x01v"s;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(ask(path), "a");
    const DeskStream& stream = desk.stream(static_cast<std::int32_t>(next));
    EXPECT_EQ(stream.request().target, "/x");
    EXPECT_EQ(stream.request().fields.find("n"), "v");
    EXPECT_EQ(stream.request().fields.size(), 2U);
    EXPECT_TRUE(stream.content_complete());
    EXPECT_TRUE(stream.seen.answered);
    EXPECT_EQ(ask(same), "a");
  }
  EXPECT_EQ(desk.requests(), 15U);
}

TEST_F(KnownBlocksOnAConnection, mean_something_else_when_the_table_has_changed) {
  EXPECT_EQ(ask(adding + "b"), "b");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(same), "b");
  // By a block in two frames.
  next += 2;
  ASSERT_TRUE(desk.receive(head_frame(next, adding.substr(0, 3), NGHTTP2_FLAG_END_STREAM) +
                           frame(NGHTTP2_CONTINUATION, NGHTTP2_FLAG_END_HEADERS, next,
                                 "\x41\x01"
                                 "c")));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(same), "c");
  // By a block with padding.
  next += 2;
  ASSERT_TRUE(desk.receive(head_frame(next, "\x01"s + adding + "d" + "\0"s, whole | NGHTTP2_FLAG_PADDED)));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(same), "d");
  // By trailers.
  next += 2;
  ASSERT_TRUE(desk.receive(head_frame(next, same, NGHTTP2_FLAG_END_HEADERS) + head_frame(next, "\x40\x01n\x01v")));
  EXPECT_EQ(ask("\x82\x86\x84\xbf"), "d");
  // On a stream that is refused.
  desk.full = true;
  ASSERT_TRUE(desk.receive(head_frame(next += 2, adding + "e")));
  desk.full = false;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(same), "e");
}

TEST_F(KnownBlocksOnAConnection, may_come_in_pieces) {
  for (const char c : head_frame(next + 2, adding + "b") + head_frame(next + 4, same)) {
    ASSERT_TRUE(desk.receive({&c, 1}));
  }
  next += 4;
  EXPECT_EQ(desk.stream(static_cast<std::int32_t>(next)).request().fields.find("host"), "b");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(same), "b");
}

TEST_F(KnownBlocksOnAConnection, many_may_come_at_once) {
  std::string bytes;
  for (int i = 0; i < 6; ++i) bytes += head_frame(next += 2, same);
  bytes += head_frame(next += 2, adding + "b");
  for (int i = 0; i < 6; ++i) bytes += head_frame(next += 2, same);
  ASSERT_TRUE(desk.receive(bytes));
  EXPECT_EQ(desk.requests(), 18U);
  for (std::uint32_t id = 11; id <= next; id += 2) {
    const std::string_view host = id < 23 ? "a" : "b";
    EXPECT_EQ(desk.stream(static_cast<std::int32_t>(id)).request().fields.find("host"), host) << id;
  }
}

TEST_F(KnownBlocksOnAConnection, are_no_trailers) {
  next += 2;
  const auto id = static_cast<std::int32_t>(next);
  ASSERT_TRUE(desk.receive(head_frame(next, same, NGHTTP2_FLAG_END_HEADERS) + head_frame(next, same)));
  EXPECT_EQ(desk.requests(), 6U);
  EXPECT_FALSE(desk.stream(id).content_complete());
  desk.flush();
  EXPECT_TRUE(desk.stream(id).closed());
}

TEST_F(KnownBlocksOnAConnection, are_not_read_when_there_is_nobody_to_take_them) {
  desk.fails = true;
  EXPECT_THROW(desk.receive(head_frame(next + 2, same)), std::bad_alloc);
  desk.fails = false;
  EXPECT_FALSE(desk.receive(head_frame(next + 4, adding + "b")));
  EXPECT_EQ(desk.requests(), 5U);
  EXPECT_TRUE(desk.session.done());
}

TEST_F(KnownBlocksOnAConnection, are_not_made_of_what_is_malformed) {
  const std::string block = same + literal("connection", "close");
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(desk.receive(head_frame(next += 2, block)));
    desk.sent.clear();
    desk.flush();
    EXPECT_EQ(desk.sent, frame(NGHTTP2_RST_STREAM, 0, next, "\0\0\0\1"s));
    EXPECT_EQ(desk.requests(), 5U);
  }
  EXPECT_EQ(ask(same), "a");
}

TEST_F(KnownBlocksOnAConnection, are_not_made_of_what_is_not_complete) {
  for (const std::string& block : {"\x82\x86\xbe"s, same + literal("content-length", "7")}) {
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(desk.receive(head_frame(next += 2, block)));
      desk.flush();
      EXPECT_TRUE(desk.stream(static_cast<std::int32_t>(next)).closed());
      EXPECT_EQ(desk.requests(), 5U);
    }
  }
}

TEST_F(KnownBlocksOnAConnection, are_not_made_of_what_is_refused) {
  for (int i = 0; i < 4; ++i) {
    ask(same + literal("x", " unfit"));
    const DeskStream& stream = desk.stream(static_cast<std::int32_t>(next));
    ASSERT_TRUE(stream.refused());
    EXPECT_EQ(stream.refused()->status, Status::BadRequest);
    EXPECT_TRUE(stream.seen.answered);
  }
}

TEST_F(KnownBlocksOnAConnection, do_not_lose_a_length_of_nothing) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(ask(same + literal("content-length", "0")), "a");
    EXPECT_EQ(desk.stream(static_cast<std::int32_t>(next)).content_length(), 0U);
  }
}

TEST_F(KnownBlocksOnAConnection, may_ask_for_a_head) {
  for (int i = 0; i < 4; ++i) {
    desk.sent.clear();
    EXPECT_EQ(ask("\x02\x04HEAD\x86\x84\xbe"), "a");
    EXPECT_EQ(desk.stream(static_cast<std::int32_t>(next)).request().method, Method::Head);
    EXPECT_TRUE(desk.stream(static_cast<std::int32_t>(next)).seen.answered);
    EXPECT_TRUE(content_order(desk.sent).empty());
    EXPECT_NE(desk.sent, "");
  }
}

TEST_F(KnownBlocksOnAConnection, have_cookies_joined) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(ask(same + "\x0f\x11\x03"
                         "a=1"
                         "\x0f\x11\x03"
                         "b=2"),
              "a");
    const RequestHead& head = desk.stream(static_cast<std::int32_t>(next)).request();
    EXPECT_EQ(head.fields.find("cookie"), "a=1; b=2");
    EXPECT_EQ(head.fields.count("cookie"), 1U);
  }
}

TEST_F(KnownBlocksOnAConnection, have_a_priority_unless_another_came_before) {
  const std::string urgent = same + literal("priority", "u=1");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(urgent), "a");
  desk.answers = false;
  const auto order = [&](std::string_view before) {
    EXPECT_TRUE(desk.receive(std::string(before) + head_frame(next + 2, same) + head_frame(next + 4, urgent)));
    desk.sent.clear();
    for (const std::uint32_t id : {next + 2, next + 4}) {
      desk.session.answer(desk.stream(static_cast<std::int32_t>(id)), {}, std::string(10'000, 'x'));
    }
    desk.flush();
    std::vector<std::uint32_t> ids = content_order(desk.sent);
    for (std::uint32_t& id : ids) id -= next;
    next += 4;
    return ids;
  };
  EXPECT_EQ(order(""), (std::vector<std::uint32_t>{4, 2}));
  const std::string id = {0, 0, 0, static_cast<char>(next + 4)};
  EXPECT_EQ(order(frame(NGHTTP2_PRIORITY_UPDATE, 0, 0, id + "u=6")), (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ(order(""), (std::vector<std::uint32_t>{4, 2}));
}

TEST_F(KnownBlocksOnAConnection, open_no_stream_twice) {
  EXPECT_FALSE(desk.receive(head_frame(next, same)));
  EXPECT_EQ(desk.requests(), 5U);
}

TEST_F(KnownBlocksOnAConnection, keep_the_content_of_others_whole) {
  next += 2;
  const auto id = static_cast<std::int32_t>(next);
  desk.answers = false;
  ASSERT_TRUE(desk.receive(head_frame(next, same, NGHTTP2_FLAG_END_HEADERS) + head_frame(next + 2, same) +
                           frame(NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, next, "content")));
  EXPECT_EQ(desk.stream(id).content, "content");
  EXPECT_TRUE(desk.stream(id).content_complete());
  EXPECT_TRUE(desk.stream(id + 2).content_complete());
}

}  // namespace
}  // namespace tern::http2
