#include "web/byte_ranges.hpp"

#include "web/file_testing.hpp"

#include <gmock/gmock.h>

#include <string>

namespace tern::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using web::ByteRange;
using web::select_ranges;

TEST(ByteRanges, begin_and_end_or_count_from_the_end) {
  EXPECT_THAT(*select_ranges("bytes=0-0", 10), ElementsAre(ByteRange{0, 1}));
  EXPECT_THAT(*select_ranges("bytes=2-5", 10), ElementsAre(ByteRange{2, 4}));
  EXPECT_THAT(*select_ranges("bytes=2-", 10), ElementsAre(ByteRange{2, 8}));
  EXPECT_THAT(*select_ranges("bytes=2-100", 10), ElementsAre(ByteRange{2, 8}));
  EXPECT_THAT(*select_ranges("bytes=-3", 10), ElementsAre(ByteRange{7, 3}));
  EXPECT_THAT(*select_ranges("bytes=-100", 10), ElementsAre(ByteRange{0, 10}));
  EXPECT_THAT(*select_ranges("BYTES=1-1", 10), ElementsAre(ByteRange{1, 1}));
  EXPECT_THAT(*select_ranges("bytes= 1-1 ,\t,3-3 ", 10), ElementsAre(ByteRange{1, 1}, ByteRange{3, 1}));
}

TEST(ByteRanges, numbers_beyond_64_bits_are_beyond_the_end) {
  EXPECT_THAT(*select_ranges("bytes=1-99999999999999999999", 10), ElementsAre(ByteRange{1, 9}));
  EXPECT_THAT(*select_ranges("bytes=-99999999999999999999", 10), ElementsAre(ByteRange{0, 10}));
  EXPECT_THAT(*select_ranges("bytes=18446744073709551615-", 10), ElementsAre());
  EXPECT_THAT(*select_ranges("bytes=99999999999999999999-99999999999999999999", 10), ElementsAre());
}

TEST(ByteRanges, none_can_be_satisfied_beyond_the_end) {
  EXPECT_THAT(*select_ranges("bytes=10-", 10), ElementsAre());
  EXPECT_THAT(*select_ranges("bytes=-0", 10), ElementsAre());
  EXPECT_THAT(*select_ranges("bytes=0-", 0), ElementsAre());
  EXPECT_THAT(*select_ranges("bytes=-5", 0), ElementsAre());
  EXPECT_THAT(*select_ranges("bytes=20-30,5-6", 10), ElementsAre(ByteRange{5, 2}));
}

TEST(ByteRanges, malformed_ones_are_ignored) {
  for (const char* field : {"", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=a-b", "bytes=5-2", "bytes=--5",
                            "bytes=-5-", "bytes=1--2", "bytes=+1-2", "bytes=0x1-2", "bytes=1 - 2", "bytes=1-2;",
                            "bytes=0-1,5-2", "bytes=1", "items=0-1", "bytes 0-1", "bytes =0-1"}) {
    EXPECT_FALSE(select_ranges(field, 10)) << field;
  }
}

TEST(ByteRanges, overlapping_and_touching_ones_are_joined) {
  EXPECT_THAT(*select_ranges("bytes=0-3,2-5", 10), ElementsAre(ByteRange{0, 6}));
  EXPECT_THAT(*select_ranges("bytes=4-5,0-3", 10), ElementsAre(ByteRange{0, 6}));
  EXPECT_THAT(*select_ranges("bytes=0-9,2-3,5-", 10), ElementsAre(ByteRange{0, 10}));
  EXPECT_THAT(*select_ranges("bytes=7-8,0-1", 10), ElementsAre(ByteRange{0, 2}, ByteRange{7, 2}));
}

std::string every_second(int count) {
  std::string field = "bytes=";
  for (int i = 0; i < count; ++i) field += std::to_string(2 * i) + "-" + std::to_string(2 * i) + ",";
  return field;
}

TEST(ByteRanges, more_than_16_are_ignored) {
  EXPECT_EQ(select_ranges(every_second(16), 10'000)->size(), 16U);
  EXPECT_FALSE(select_ranges(every_second(17), 10'000));
  EXPECT_FALSE(select_ranges(every_second(5000), 10'000));
  std::string same = "bytes=";
  for (int i = 0; i < 1000; ++i) same += "0-,";
  EXPECT_THAT(*select_ranges(same, 10), ElementsAre(ByteRange{0, 10}));
}

class Ranges : public ServedFolderTest {
protected:
  Ranges() { write("a.txt", "0123456789"); }
};

TEST_F(Ranges, one_is_a_206_with_its_place) {
  const TestResponse response = get("/a.txt", {{"range", "bytes=2-4"}});
  EXPECT_EQ(response.status, 206);
  EXPECT_EQ(response.body, "234");
  EXPECT_EQ(response.field("content-range"), "bytes 2-4/10");
  EXPECT_EQ(response.field("content-length"), "3");
  EXPECT_EQ(response.field("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(response.field("etag"), get("/a.txt").field("etag"));
  EXPECT_EQ(response.field("accept-ranges"), "bytes");
}

TEST_F(Ranges, several_are_multipart) {
  const TestResponse response = get("/a.txt", {{"range", "bytes=0-1,-2"}});
  EXPECT_EQ(response.status, 206);
  EXPECT_FALSE(response.has("content-range"));
  const std::string type(response.field("content-type"));
  ASSERT_THAT(type, StartsWith("multipart/byteranges; boundary="));
  const std::string boundary = type.substr(type.find('=') + 1);
  EXPECT_EQ(
      response.body,
      "--" + boundary + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 0-1/10\r\n\r\n01\r\n--" +
          boundary + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 8-9/10\r\n\r\n89\r\n--" +
          boundary + "--\r\n");
  EXPECT_EQ(response.field("content-length"), std::to_string(response.body.size()));
}

TEST_F(Ranges, of_a_large_file_come_from_the_file) {
  std::string content(200'000, 'x');
  content.replace(100'000, 4, "here");
  content.replace(199'997, 3, "end");
  write("large.bin", content);
  EXPECT_EQ(get("/large.bin", {{"range", "bytes=100000-100003"}}).body, "here");
  const TestResponse several = get("/large.bin", {{"range", "bytes=100000-100003,-3"}});
  EXPECT_EQ(several.status, 206);
  EXPECT_THAT(several.body, HasSubstr("bytes 100000-100003/200000\r\n\r\nhere\r\n--"));
  EXPECT_THAT(several.body, HasSubstr("bytes 199997-199999/200000\r\n\r\nend\r\n--"));
  EXPECT_EQ(several.field("content-length"), std::to_string(several.body.size()));
}

TEST_F(Ranges, none_that_can_be_satisfied_is_a_416) {
  const TestResponse response = get("/a.txt", {{"range", "bytes=10-"}});
  EXPECT_EQ(response.status, 416);
  EXPECT_EQ(response.field("content-range"), "bytes */10");
  write("empty.txt", "");
  EXPECT_EQ(get("/empty.txt", {{"range", "bytes=0-"}}).field("content-range"), "bytes */0");
}

TEST_F(Ranges, are_ignored_where_they_do_not_apply) {
  EXPECT_EQ(get("/a.txt", {{"range", "bytes=5-2"}}).status, 200);
  EXPECT_EQ(get("/a.txt", {{"range", "lines=1-2"}}).status, 200);
  EXPECT_EQ(get("/a.txt", {{"range", "bytes=0-1"}, {"range", "bytes=2-3"}}).status, 200);
  EXPECT_EQ(get("/a.txt", {{"range", every_second(17)}}).status, 206);  // of ten bytes, only five are left
  const TestResponse response = head("/a.txt", {{"range", "bytes=0-1"}});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.field("content-length"), "10");
}

}  // namespace
}  // namespace tern::testing
