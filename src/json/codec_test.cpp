#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <tern/base/number.hpp>
#include <tern/json/json.hpp>

#include "json/read_testing.hpp"

namespace {

// Not an aggregate: reflection does not apply.
class Money {
public:
  Money() = default;
  explicit Money(std::int64_t cents) : cents_(cents) {}
  std::int64_t cents() const { return cents_; }
  friend bool operator==(const Money&, const Money&) = default;

private:
  std::int64_t cents_ = 0;
};

// An aggregate with a form of its own: {"at": [x, y]}, more members being problems.
struct Position {
  int x = 0;
  int y = 0;
};

struct Account {
  std::string owner;
  Money balance;
  std::vector<Money> changes;
  std::map<std::string, Money> limits;
};

struct Lesson {
  std::string class_;
  int default_ = 1;
};

struct Embedded {
  Lesson lesson;
};

}  // namespace

template <>
struct tern::JsonCodec<Money> {
  static constexpr json::Kinds kinds = json::Kinds::String;

  static void write(json::Writer& writer, const Money& money) {
    std::string text;
    base::append_integer(text, money.cents());
    writer.value(text + " ct");
  }
  static void read(json::Reader& reader, Money& money) {
    std::string text;
    if (!reader.value(text)) return;
    const auto cents = base::parse_integer<std::int64_t>(std::string_view(text).substr(0, text.find(' ')));
    if (!cents || !text.ends_with(" ct")) return reader.fail("expected an amount such as \"5 ct\"");
    money = Money(*cents);
  }
};

template <>
struct tern::JsonCodec<Position> {
  static void write(json::Writer& writer, const Position& position) {
    writer.begin_object();
    writer.key("at");
    writer.begin_array();
    writer.integer(position.x);
    writer.integer(position.y);
    writer.end_array();
    writer.end_object();
  }
  static void read(json::Reader& reader, Position& position) {
    reader.each_member([&](std::string_view name, json::Reader& member) {
      if (name != "at") return member.fail("unknown");
      std::vector<int> both;
      member.each_element([&](json::Reader& element) { element.value(both.emplace_back()); });
      if (both.size() != 2) return member.fail("expected two numbers");
      position = {both[0], both[1]};
    });
  }
};

// A codec that reads a document inside a document, while the outer one is being read.
struct Envelope {
  std::vector<int> content;
};
template <>
struct tern::JsonCodec<Envelope> {
  static void read(json::Reader& reader, Envelope& envelope) {
    std::string text;
    if (!reader.value(text)) return;
    const auto inner = json::read<std::vector<int>>(text);
    if (!inner) return reader.fail(inner.error().to_string());
    envelope.content = *inner;
  }
};

template <>
struct tern::JsonNames<Lesson> {
  static constexpr tern::json::Rename renames[] = {{"class_", "class"}, {"default_", "default/ä"}};
};

struct Quoted {
  int first = 1;
  int second = 2;
  int third = 3;
};

template <>
struct tern::JsonNames<Quoted> {
  static constexpr tern::json::Rename renames[] = {{"first", "say \"hi\""}, {"second", "a\\b\n"}};
};

namespace tern::json {
namespace {

TEST(JsonCodec, writes_and_reads_classes) {
  EXPECT_EQ(to_string(Money(5)), "\"5 ct\"");
  EXPECT_EQ(read<Money>("\"-7 ct\""), Money(-7));
}

TEST(JsonCodec, works_inside_everything) {
  const Account account{"me", Money(1), {Money(2), Money(3)}, {{"day", Money(4)}}};
  const std::string text = R"({"owner":"me","balance":"1 ct","changes":["2 ct","3 ct"],"limits":{"day":"4 ct"}})";
  EXPECT_EQ(to_string(account), text);
  const auto copy = read<Account>(text);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->balance, Money(1));
  EXPECT_EQ(copy->changes, account.changes);
  EXPECT_EQ(copy->limits, account.limits);
}

TEST(JsonCodec, reports_problems_with_the_path) {
  EXPECT_EQ(problems_of<Account>(R"({"owner":"","balance":"x","changes":["1 ct",5],"limits":{"d":"1 EUR"}})"),
            "/balance: expected an amount such as \"5 ct\"; /changes/1: expected string; "
            "/limits/d: expected an amount such as \"5 ct\"");
}

TEST(JsonCodec, takes_part_in_variants_by_its_kinds) {
  using Either = std::variant<Money, int>;
  EXPECT_EQ(read<Either>("\"5 ct\""), Either(Money(5)));
  EXPECT_EQ(read<Either>("5"), Either(5));
}

TEST(JsonCodec, goes_before_reflection) {
  EXPECT_EQ(to_string(Position{1, 2}), R"({"at":[1,2]})");
  const auto position = read<Position>(R"({"at":[3,4]})");
  ASSERT_TRUE(position);
  EXPECT_EQ(position->y, 4);
  EXPECT_EQ(problems_of<Position>(R"({"at":[1],"by":2})"), "/at: expected two numbers; /by: unknown");
  EXPECT_EQ(problems_of<Position>(R"({"at":[1,"2"]})"), "/at/1: expected integer");
  EXPECT_EQ(problems_of<Position>("[]"), "expected object");
}

TEST(JsonCodec, may_read_another_document_meanwhile) {
  const auto envelopes = read<std::vector<Envelope>>(R"(["[1,2]","[]","[3]"])");
  ASSERT_TRUE(envelopes);
  EXPECT_EQ(envelopes->at(0).content, (std::vector<int>{1, 2}));
  EXPECT_EQ(envelopes->at(2).content, std::vector<int>{3});
  EXPECT_EQ(problems_of<std::vector<Envelope>>(R"(["[1","[true]"])"),
            "/0: the text is not JSON; /1: /0: expected integer");
}

TEST(JsonNames, are_escaped) {
  EXPECT_EQ(to_string(std::vector<Quoted>(2)), R"([{"say \"hi\"":1,"a\\b\n":2,"third":3},)"
                                               R"({"say \"hi\"":1,"a\\b\n":2,"third":3}])");
}

TEST(JsonNames, renames_members_on_both_ways) {
  EXPECT_EQ(to_string(Lesson{"a", 2}), R"({"class":"a","default/ä":2})");
  const auto lesson = read<Lesson>(R"({"class":"b","class_":"wrong"})");
  ASSERT_TRUE(lesson);
  EXPECT_EQ(lesson->class_, "b");
  EXPECT_EQ(lesson->default_, 1);
  EXPECT_EQ(problems_of<Embedded>(R"({"lesson":{"class_":"a","default/ä":true}})"),
            "/lesson/default~1ä: expected integer; /lesson/class: missing");
}

}  // namespace
}  // namespace tern::json
