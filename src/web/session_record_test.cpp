#include "web/session_record.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace tern::web {
namespace {

SessionRecord sample_record() {
  SessionRecord record;
  record.user = "anna";
  record.epoch = std::string("\0\xFF", 2);
  record.id = "id";
  record.begun = 1'900'000'000;
  record.seen = std::numeric_limits<std::int64_t>::max();
  record.data = R"({"name":"anna"})";
  record.flashes = {{"success", "stored"}, {"", ""}};
  return record;
}

TEST(SessionRecordBytes, come_back) {
  const auto read = read_session_record(to_bytes(sample_record()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->user, "anna");
  EXPECT_EQ(read->epoch, std::string("\0\xFF", 2));
  EXPECT_EQ(read->id, "id");
  EXPECT_EQ(read->begun, 1'900'000'000);
  EXPECT_EQ(read->seen, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read->data, R"({"name":"anna"})");
  ASSERT_EQ(read->flashes.size(), 2U);
  EXPECT_EQ(read->flashes[0].kind, "success");
  EXPECT_EQ(read->flashes[0].text, "stored");
  EXPECT_EQ(read->flashes[1].text, "");
  EXPECT_TRUE(read_session_record(to_bytes(SessionRecord()))->flashes.empty());
}

TEST(SessionRecordBytes, that_are_truncated_or_of_another_format_are_none) {
  const std::string bytes = to_bytes(sample_record());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto read = read_session_record(bytes.substr(0, size));
    // Flash messages end where the bytes do, so that some of them may be missing.
    if (read) {
      EXPECT_LT(read->flashes.size(), 2U) << size;
    }
  }
  EXPECT_FALSE(read_session_record(bytes + "x"));
  EXPECT_FALSE(read_session_record("\2" + bytes.substr(1)));
  EXPECT_FALSE(read_session_record(R"({"user":"anna"})"));
  std::string oversized = bytes;
  for (std::size_t i = 17; i < 21; ++i) oversized[i] = '\xFF';  // the length of the user
  EXPECT_FALSE(read_session_record(oversized));
}

}  // namespace
}  // namespace tern::web
