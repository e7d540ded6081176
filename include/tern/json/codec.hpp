// Templates to specialise for the JSON form of a program's types. Specialise before the type is first read or written.
#pragma once

namespace tern {

// The JSON form of a type without, or instead of, reflection:
//
//   template <>
//   struct tern::JsonCodec<Money> {
//     static constexpr tern::json::Kinds kinds = tern::json::Kinds::String;  // needed inside std::variant only
//     static void write(tern::json::Writer& writer, const Money& money) { writer.value(money.text()); }
//     static void read(tern::json::Reader& reader, Money& money) {
//       std::string text;
//       if (reader.value(text) && !money.parse(text)) reader.fail("expected an amount such as 12.50");
//     }
//   };
//
// In a document, T is described by `static constexpr std::string_view schema = R"({"type":"string"})";`, a JSON Schema,
// or as another type by `using SchemaType = U;`, or by its kinds.
//
// write() writes exactly one value. read() reports faults by reader.fail(), which adds the path. Either may be omitted
// if it is never used.
template <class T>
struct JsonCodec;

// Other names for members than in C++, for JSON, query strings and forms:
//
//   template <>
//   struct tern::JsonNames<Lesson> {
//     static constexpr tern::json::Rename renames[] = {{"class_", "class"}};
//   };
template <class T>
struct JsonNames;

// Optional members of a struct, where the rules of defaults.hpp do not fit: `true` or `false` for all members, or a
// list of the C++ names of those that may be missing. std::optional members may always be missing.
//
//   template <>
//   struct tern::JsonDefaults<Filter> {
//     static constexpr std::string_view may_be_missing[] = {"note", "tags"};
//   };
template <class T>
struct JsonDefaults;

// The strictness of reading a struct:
//
//   template <>
//   struct tern::JsonOptions<NewBook> {
//     static constexpr bool deny_unknown = true;  // each member that the struct does not have is a problem
//   };
template <class T>
struct JsonOptions;

// The name of a struct or an enumeration in a document, in place of the name of the type:
//
//   template <> struct tern::JsonSchemaName<Page<Book>> { static constexpr std::string_view value = "BookPage"; };
template <class T>
struct JsonSchemaName;

// The member by which an object is known among the structs of a std::variant, and its value for T (the discriminator of
// OpenAPI):
//
//   template <> struct tern::JsonDiscriminator<Circle> {
//     static constexpr std::string_view member = "kind", value = "circle";
//   };
//
// It is no member of the struct. It is written first, and must be there with this value when a T is read, in a variant
// or not. Query strings and forms have none.
template <class T>
struct JsonDiscriminator;

// The names of an enumeration. Either the range in which enumerators are looked for (default: -128 to 127), or the
// complete list of values and names:
//
//   template <> struct tern::EnumNames<Errno> { static constexpr int min = 0, max = 1000; };
//   template <> struct tern::EnumNames<Suit> {
//     static constexpr tern::EnumName<Suit> names[] = {{Suit::Hearts, "hearts"}, {Suit::Spades, "spades"}};
//   };
template <class E>
struct EnumNames;

// Rules that a value must keep, and its documentation: see <tern/rules.hpp>, which makes the list.
//
//   template <>
//   struct tern::Rules<NewBook> {
//     static constexpr auto list = tern::rules(tern::member<&NewBook::title>(tern::length(1, 200)));
//   };
template <class T>
struct Rules;

namespace json::detail {

template <class T>
concept HasRules = requires { Rules<T>::list; };

// The rules as a constant table; defined in rules.hpp, which everything that specialises Rules includes.
template <class T>
struct RuleTableOf;

}  // namespace json::detail
}  // namespace tern
