#include <tern/base/block_pool.hpp>
#include <tern/http/fields.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

std::atomic<std::size_t> allocations = 0;

}  // namespace

// Counts the allocations of this test program.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* place = std::malloc(size == 0 ? 1 : size)) return place;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* place) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept {
  std::free(place);
}

namespace tern {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::vector<std::pair<std::string, std::string>> list(const Fields& fields) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Field& field : fields) out.emplace_back(field.name, field.value);
  return out;
}

template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Fields, are_empty_at_first) {
  const Fields fields;
  EXPECT_TRUE(fields.empty());
  EXPECT_EQ(fields.text(), "");
  EXPECT_FALSE(fields.find("a"));
  EXPECT_TRUE(fields.begin() == fields.end());
}

TEST(Fields, hold_their_text_as_http_1_1_writes_it) {
  Fields fields;
  fields.set("content-type", "text/plain");
  fields.add("x-empty", "");
  fields.add("x", "a: b");
  EXPECT_EQ(fields.text(), "content-type: text/plain\r\nx-empty: \r\nx: a: b\r\n");
  EXPECT_THAT(list(fields), ElementsAre(Pair("content-type", "text/plain"), Pair("x-empty", ""), Pair("x", "a: b")));
}

TEST(Fields, find_the_first_of_a_name_in_any_case) {
  Fields fields;
  fields.add("Vary", "a");
  fields.add("VARY", "b");
  EXPECT_EQ(fields.find("vary"), "a");
  EXPECT_FALSE(fields.find("var"));
  EXPECT_FALSE(fields.find("vary2"));
  EXPECT_FALSE(fields.find(""));
}

TEST(Fields, do_not_find_a_name_inside_a_value) {
  Fields fields;
  fields.set("a", "b: c");
  EXPECT_FALSE(fields.find("b"));
  EXPECT_FALSE(fields.find("a: b"));
  EXPECT_EQ(fields.remove("b"), 0U);
}

TEST(Fields, replace_every_field_of_a_name_when_one_is_set) {
  Fields fields;
  fields.add("a", "1");
  fields.add("b", "2");
  fields.add("A", "3");
  fields.add("c", "4");
  fields.add("a", "5");
  fields.set("a", "6");
  EXPECT_THAT(list(fields), ElementsAre(Pair("b", "2"), Pair("c", "4"), Pair("a", "6")));
}

TEST(Fields, remove_every_field_of_a_name_and_say_how_many) {
  Fields fields;
  fields.add("a", "1");
  fields.add("A", "2");
  fields.add("b", "3");
  fields.add("a", "4");
  EXPECT_EQ(fields.remove("a"), 3U);
  EXPECT_THAT(list(fields), ElementsAre(Pair("b", "3")));
  EXPECT_EQ(fields.remove("a"), 0U);
  EXPECT_EQ(fields.remove("b"), 1U);
  EXPECT_TRUE(fields.empty());
  EXPECT_EQ(fields.remove(""), 0U);
}

TEST(Fields, refuse_a_value_with_a_line_break) {
  Fields fields;
  fields.set("location", "/");
  EXPECT_THAT(refusal([&] { fields.set("location", "/\r\nset-cookie: a=b"); }), HasSubstr("location"));
  EXPECT_THROW(fields.add("location", "/\n"), std::invalid_argument);
  EXPECT_THROW(fields.add("location", "/\r"), std::invalid_argument);
  EXPECT_EQ(fields.text(), "location: /\r\n");
}

TEST(Fields, take_every_byte_in_a_value_but_control_bytes) {
  for (int byte = 0; byte < 256; ++byte) {
    Fields fields;
    const std::string value = std::string("a") + static_cast<char>(byte) + 'b';
    const bool control = (byte < 0x20 && byte != '\t') || byte == 0x7F;
    if (control) {
      EXPECT_THROW(fields.set("a", value), std::invalid_argument) << byte;
      EXPECT_TRUE(fields.empty());
    } else {
      fields.set("a", value);
      EXPECT_EQ(fields.find("a"), value) << byte;
    }
  }
}

TEST(Fields, refuse_a_blank_at_an_end_of_a_value) {
  Fields fields;
  for (const char* value : {" a", "a ", "\ta", "a\t", " ", "\t"}) {
    EXPECT_THAT(refusal([&] { fields.set("x", value); }), HasSubstr("blank")) << value;
  }
  EXPECT_TRUE(fields.empty());
}

TEST(Fields, refuse_a_name_that_is_not_a_token) {
  Fields fields;
  for (const char* name : {"", " a", "a ", "a:", "a b", "a\r\nb", "\xC3\xA4", ":status"}) {
    EXPECT_THAT(refusal([&] { fields.set(name, "v"); }), HasSubstr("token")) << name;
    EXPECT_THROW(fields.add(name, "v"), std::invalid_argument) << name;
  }
  EXPECT_THROW(fields.set(std::string_view("a\0", 2), "v"), std::invalid_argument);
  EXPECT_TRUE(fields.empty());
}

TEST(Fields, refuse_what_frames_the_message_in_any_case) {
  Fields fields;
  for (const char* name : {"Content-Length", "transfer-encoding", "CONNECTION", "keep-alive", "TE", "Trailer"}) {
    EXPECT_THAT(refusal([&] { fields.set(name, "1"); }), HasSubstr(name));
    EXPECT_THAT(refusal([&] { fields.add(name, "1"); }), HasSubstr(name));
  }
  EXPECT_TRUE(fields.empty());
}

TEST(Fields, cut_a_very_long_name_in_the_message) {
  Fields fields;
  EXPECT_LT(refusal([&] { fields.set(std::string(100'000, ' '), ""); }).size(), 200U);
}

TEST(Fields, take_a_view_of_their_own_value) {
  for (const std::size_t size :
       std::initializer_list<std::size_t>{1, 40, 200, 240, 500}) {  // with and without reallocation
    Fields fields;
    fields.add("a", std::string(size, 'x'));
    fields.add("b", "2");
    fields.set("c", *fields.find("a"));
    EXPECT_EQ(fields.find("c"), std::string(size, 'x'));
    fields.set("a", *fields.find("a"));
    EXPECT_EQ(fields.find("a"), std::string(size, 'x'));
    fields.set("a", fields.find("a")->substr(size / 2));
    EXPECT_EQ(fields.find("a"), std::string(size - size / 2, 'x'));
    EXPECT_EQ(fields.find("b"), "2");
  }
}

TEST(Fields, take_a_view_of_their_own_name_and_value_for_every_field) {
  for (std::size_t which = 0; which < 4; ++which) {
    Fields fields;
    fields.add("aa", "1");
    fields.add("b", "2");
    fields.add("AA", "3");
    fields.add("dddd", "4");
    auto it = fields.begin();
    for (std::size_t i = 0; i < which; ++i) ++it;
    const std::string name(it->name);
    const std::string value(it->value);
    fields.set(it->name, it->value);
    EXPECT_EQ(fields.find(name), value) << which;
    EXPECT_EQ(list(fields).size(), name.size() == 2 ? 3U : 4U) << which;
    EXPECT_EQ(list(fields).back(), std::pair(name, value)) << which;
  }
}

TEST(Fields, remove_by_a_view_of_their_own_name) {
  for (std::size_t which = 0; which < 3; ++which) {
    Fields fields;
    fields.add("a", "1");
    fields.add("bb", "2");
    fields.add("A", "3");
    fields.add("b", "4");
    fields.add("a", "5");
    auto it = fields.begin();
    for (std::size_t i = 0; i < which * 2; ++i) ++it;
    EXPECT_EQ(fields.remove(it->name), 3U) << which;
    EXPECT_THAT(list(fields), ElementsAre(Pair("bb", "2"), Pair("b", "4"))) << which;
  }
}

TEST(Fields, remove_by_a_view_of_a_value_of_theirs) {
  Fields fields;
  fields.add("b", "1");
  fields.add("name", "b");
  fields.add("b", "2");
  fields.add("c", "3");
  EXPECT_EQ(fields.remove(*fields.find("name")), 2U);
  EXPECT_THAT(list(fields), ElementsAre(Pair("name", "b"), Pair("c", "3")));
}

TEST(Fields, keep_everything_while_they_grow) {
  Fields fields;
  std::string expected;
  for (int i = 0; i < 500; ++i) {
    const std::string name = "x-" + std::to_string(i);
    const std::string value(static_cast<std::size_t>(i % 50), 'v');
    fields.add(name, value);
    expected += name + ": " + value + "\r\n";
  }
  EXPECT_EQ(fields.text(), expected);
}

TEST(Fields, are_independent_of_what_they_were_copied_from) {
  Fields fields;
  fields.set("a", "1");
  Fields copy = fields;
  copy.set("a", "2");
  copy.add("b", "3");
  EXPECT_EQ(fields.text(), "a: 1\r\n");
  EXPECT_EQ(copy.text(), "a: 2\r\nb: 3\r\n");
  copy = fields;
  EXPECT_EQ(copy.text(), "a: 1\r\n");
  const Fields& same = copy;
  copy = same;
  EXPECT_EQ(copy.text(), "a: 1\r\n");
  copy = Fields();
  EXPECT_TRUE(copy.empty());
}

TEST(Fields, share_a_block_until_they_change) {
  Fields block;
  block.add("a", "1");
  block.add("b", "2");
  Fields fields;
  fields.share(block);
  EXPECT_TRUE(fields.is_shared());
  EXPECT_EQ(fields.text().data(), block.text().data());
  EXPECT_EQ(fields.find("B"), "2");
  Fields moved = std::move(fields);
  EXPECT_TRUE(moved.is_shared());
  const Fields copy = moved;
  EXPECT_FALSE(copy.is_shared());
  EXPECT_EQ(copy.text(), block.text());

  Fields added;
  added.share(block);
  added.add("c", *added.find("a"));
  EXPECT_EQ(added.text(), "a: 1\r\nb: 2\r\nc: 1\r\n");
  Fields replaced;
  replaced.share(block);
  replaced.set("A", *replaced.find("b"));
  EXPECT_EQ(replaced.text(), "b: 2\r\nA: 2\r\n");
  Fields removed;
  removed.share(block);
  EXPECT_EQ(removed.remove("c"), 0U);
  EXPECT_EQ(removed.remove(removed.begin()->name), 1U);
  EXPECT_EQ(removed.text(), "b: 2\r\n");
  for (const Fields* each : {&added, &replaced, &removed}) EXPECT_FALSE(each->is_shared());
  EXPECT_EQ(block.text(), "a: 1\r\nb: 2\r\n");
}

TEST(Fields, that_are_there_keep_their_place_before_a_block) {
  Fields block;
  block.add("a", "1");
  Fields fields;
  fields.add("b", "2");
  fields.share(block);
  EXPECT_FALSE(fields.is_shared());
  EXPECT_EQ(fields.text(), "b: 2\r\na: 1\r\n");
  Fields twice;
  twice.share(block);
  twice.share(fields);
  EXPECT_EQ(twice.text(), "a: 1\r\nb: 2\r\na: 1\r\n");
  EXPECT_EQ(twice.remove("a"), 2U);
  Fields nothing;
  nothing.share(Fields());
  EXPECT_TRUE(nothing.empty());
  nothing.add("a", "1");
  EXPECT_EQ(nothing.text(), "a: 1\r\n");
}

TEST(Fields, know_which_names_they_may_have) {
  Fields fields;
  EXPECT_FALSE(fields.may_have("date"));
  fields.add("X-Content-Type-Options", "nosniff");
  fields.add_checked("etag", "\"1\"");
  EXPECT_TRUE(fields.may_have("ETag"));
  for (const char* name : {"date", "server", "upgrade"}) EXPECT_FALSE(fields.may_have(name)) << name;
  const Fields copy = fields;
  EXPECT_TRUE(copy.may_have("x-content-type-options"));
  Fields others;
  others.add("Date", "today");
  EXPECT_FALSE(others.may_share_a_name(fields));
  others.add_all(fields);
  EXPECT_TRUE(others.may_have("DATE"));
  EXPECT_TRUE(others.may_share_a_name(fields));
  others.remove("Date");
  EXPECT_EQ(others.find("date"), std::nullopt);
}

TEST(Fields, are_empty_and_usable_after_they_were_moved_from) {
  Fields fields;
  fields.set("a", "1");
  Fields moved = std::move(fields);
  EXPECT_TRUE(fields.empty());
  EXPECT_FALSE(fields.find("a"));
  fields.set("b", "2");
  EXPECT_EQ(moved.text(), "a: 1\r\n");
  moved = std::move(fields);
  EXPECT_EQ(moved.text(), "b: 2\r\n");
  Fields& same = moved;
  moved = std::move(same);
  EXPECT_EQ(moved.text(), "b: 2\r\n");
}

TEST(Fields, allocate_nothing_in_steady_state) {
  const base::BlockPoolScope scope;
  const auto use = [] {
    Fields fields;
    fields.set("content-security-policy", "default-src 'self'; frame-ancestors 'none'");
    fields.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
    fields.set("strict-transport-security", "max-age=63072000; includeSubDomains; preload");
    fields.add("set-cookie", std::string_view("a=0123456789012345678901234567890123456789"));
    fields.remove("set-cookie");
    const Fields moved = std::move(fields);
  };
  use();
  const std::size_t heap = allocations;
  const std::size_t blocks = base::blocks_from_heap();
  for (int i = 0; i < 100; ++i) use();
  EXPECT_EQ(allocations, heap);
  EXPECT_EQ(base::blocks_from_heap(), blocks);
}

TEST(RequestFields, find_the_first_of_a_name_in_any_case_and_count_them) {
  RequestFields fields;
  EXPECT_TRUE(fields.empty());
  fields.add("Accept", "a");
  fields.add("Host", "h");
  fields.add("ACCEPT", "b");
  EXPECT_EQ(fields.find("accept"), "a");
  EXPECT_EQ(fields.count("accept"), 2U);
  EXPECT_EQ(fields.count("x"), 0U);
  EXPECT_FALSE(fields.find("x"));
  EXPECT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[2].name, "ACCEPT");
  fields.clear();
  EXPECT_FALSE(fields.find("accept"));
}

TEST(Fields, takes_all_fields_of_another_object) {
  Fields one;
  one.add("A", "1");
  Fields all;
  for (int i = 0; i < 100; ++i) all.add("B", std::to_string(i));
  const std::string_view text = all.text();
  one.add_all(Fields());
  one.add_all(all);
  EXPECT_EQ(one.text(), "A: 1\r\n" + std::string(text));
  Fields empty;
  empty.add_all(all);
  EXPECT_EQ(empty.text(), text);
  empty.add("C", "2");
  EXPECT_EQ(empty.find("c"), "2");
}

}  // namespace
}  // namespace tern
