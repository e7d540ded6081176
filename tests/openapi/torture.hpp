// A service with one route of each kind, for the tests of the OpenAPI document.
#pragma once

#include <tern/multipart.hpp>
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace torture {

enum class Colour { Red, Green, Blue };
enum class Flag : bool { Off, On };

struct Point {
  double x;
  double y;
};

// Every form of member.
struct Everything {
  bool yes;
  char letter;
  std::int8_t i8;
  std::uint8_t u8;
  std::int16_t i16;
  std::uint16_t u16;
  std::int32_t i32;
  std::uint32_t u32;
  std::int64_t i64;
  std::uint64_t u64;
  float real;
  double precise;
  std::string text;
  Colour colour;
  std::optional<std::string> maybe;
  std::optional<Colour> maybe_colour;
  std::optional<Point> maybe_point;
  std::vector<Point> points;
  std::array<int, 3> three;
  std::pair<int, std::string> pair;
  std::tuple<int, bool, Colour> triple;
  std::map<std::string, Point> by_name;
  std::map<Colour, int> by_colour;
  std::set<int> numbers;
  std::chrono::sys_seconds second;
  std::chrono::sys_time<std::chrono::milliseconds> instant;
  std::chrono::milliseconds duration;
  std::chrono::duration<double> seconds;
};

// With defaults, of which a request may leave out each.
struct Settings {
  bool loud = true;
  int volume = 11;
  double pitch = 0.5;
  std::string name = "default \"quoted\"";
  Colour colour = Colour::Green;
  std::chrono::seconds timeout = std::chrono::seconds(30);
  std::optional<int> limit;
  Point origin = {1, 2};
};

struct Tree {
  std::string label;
  std::vector<Tree> children;
};

struct ListNode {
  int value;
  std::unique_ptr<ListNode> next;
};

struct Circle {
  double radius;
};
struct Rectangle {
  double width;
  double height;
};
struct Named {
  std::optional<std::string> name;
  std::optional<std::string> alias;
};
using Shape = std::variant<Circle, Rectangle>;
using Anything = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<int>, Circle, Named>;

struct Drawing {
  Shape shape;
  Anything note;
  std::optional<Shape> second;
};

// Told apart by a discriminator.
struct Deposit {
  int amount;
};
struct Withdrawal {
  int amount;
};
struct Closing {};
using Booking = std::variant<Deposit, Withdrawal, Closing>;

struct Account {
  std::vector<Booking> bookings;
  std::optional<Booking> last;
  std::variant<std::string, Deposit, Closing> opening;
};

struct Money {
  std::int64_t cents = 0;
};

template <class T>
struct Page {
  std::vector<T> items;
  std::size_t total = 0;
};

struct Item {
  std::int64_t id;
  std::string name;
  Money price;
};

struct NewItem {
  std::string name;
  Money price = {100};
};

struct Counts {
  std::unordered_map<int, std::string> by_number;
  std::optional<std::chrono::sys_seconds> changed;
};

struct Filter {
  std::optional<std::string> q;
  int limit = 20;
  std::vector<Colour> colour;
  bool exact = false;
};

struct Strict {
  int a;
  std::optional<int> b;
};

// With rules of every kind.
struct Ruled {
  std::int64_t id = 0;
  std::string title;
  std::string secret = "12345678";
  int year;
  double price;
  std::vector<std::string> tags;
  std::map<std::string, int> counts;
  std::string mail;
  std::string size;
};
struct RuledQuery {
  int limit = 10;
  std::optional<std::string> q;
};
struct PageNumber : tern::QueryParam<"number", int, 1> {};
struct Year : tern::Placeholder<std::int32_t> {};

struct LoginForm {
  std::string user;
  std::string password;
  bool remember = false;
};

struct UploadForm {
  std::string title;
  tern::UploadedFile file;
  std::vector<tern::UploadedFile> more;
  std::optional<int> page;
};

struct OutOfStock {
  int item = 0;
};

namespace first {
struct Thing {
  int a;
};
}  // namespace first
namespace second {
struct Thing {
  std::string b;
};
}  // namespace second

struct User {
  std::string name;
};
struct Csv {
  std::string text;
};

// A middleware that describes itself.
struct RequireKey {
  void describe(tern::Operation& operation) const {
    operation.security("key");
    operation.problem(tern::Status::Unauthorized, "The key is missing or wrong");
  }
  tern::Reply operator()(tern::Request& request, tern::Next next) const {
    if (request.field("x-key") != "sesame") throw tern::HttpError(tern::Status::Unauthorized, "this needs the key");
    return next();
  }
};

struct Document {
  std::string get(std::int64_t id) { return "document " + std::to_string(id); }
  tern::Status del(std::int64_t id) { return id == 0 ? tern::Status::NotFound : tern::Status::NoContent; }
};

// All of it, and its document at /openapi.json.
tern::App make_app();
tern::OpenApiOptions options();

}  // namespace torture

template <>
struct tern::JsonDiscriminator<torture::Deposit> {
  static constexpr std::string_view member = "kind", value = "deposit";
};
template <>
struct tern::JsonDiscriminator<torture::Withdrawal> {
  static constexpr std::string_view member = "kind", value = "withdrawal";
};
template <>
struct tern::JsonDiscriminator<torture::Closing> {
  static constexpr std::string_view member = "kind", value = "closing";
};

template <>
struct tern::JsonCodec<torture::Money> {
  static constexpr tern::json::Kinds kinds = tern::json::Kinds::String;
  static constexpr std::string_view schema = R"({"type":"string","pattern":"^[0-9]{1,9}\\.[0-9]{2}$"})";
  static void write(tern::json::Writer& writer, const torture::Money& money);
  static void read(tern::json::Reader& reader, torture::Money& money);
};

template <>
struct tern::Rules<torture::Ruled> {
  using Ruled = torture::Ruled;
  static constexpr auto list = tern::rules(
      tern::member<&Ruled::id>(tern::read_only(), tern::describe("Of the server")),
      tern::member<&Ruled::title>(tern::length(1, 20), tern::example("A title")),
      tern::member<&Ruled::secret>(tern::write_only(), tern::min_length(8)),
      tern::member<&Ruled::year>(tern::range(1450, 2100), tern::deprecated()),
      tern::member<&Ruled::price>(tern::exclusive_minimum(0), tern::maximum(1000)),
      tern::member<&Ruled::tags>(tern::items(0, 3), tern::unique_items(), tern::each(tern::pattern("^[a-z]+$"))),
      tern::member<&Ruled::counts>(tern::properties(0, 2), tern::each(tern::minimum(0))),
      tern::member<&Ruled::mail>(tern::format(tern::Format::Email)),
      tern::member<&Ruled::size>(tern::one_of("small", "large")));
};
template <>
struct tern::Rules<torture::RuledQuery> {
  static constexpr auto list =
      tern::rules(tern::member<&torture::RuledQuery::limit>(tern::range(1, 100), tern::describe("At most 100")),
                  tern::member<&torture::RuledQuery::q>(tern::length(2, 10)));
};
template <>
struct tern::Rules<torture::Year> {
  static constexpr auto list = tern::rules(tern::range(1450, 2100), tern::describe("Of the first edition"));
};
template <>
struct tern::Rules<torture::PageNumber> {
  static constexpr auto list = tern::rules(tern::range(1, 1000), tern::describe("Counted from 1"));
};

template <>
struct tern::JsonOptions<torture::Strict> {
  static constexpr bool deny_unknown = true;
};

template <>
struct tern::Extract<torture::User> {
  static std::expected<torture::User, tern::Rejection> from(tern::Request& request);
  static void describe(tern::Operation& operation) {
    operation.parameter<std::string>(tern::In::Header, "X-User", "Who asks", true);
    operation.problem(tern::Status::Forbidden, "The user is unknown");
  }
};

template <>
struct tern::Respond<torture::Csv> {
  static tern::Response to(torture::Csv csv, tern::Request& request);
  static void describe(tern::Operation& operation) { operation.response(tern::Status::Ok, "A table", "text/csv"); }
};
