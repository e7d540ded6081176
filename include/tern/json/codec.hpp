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

// The names of an enumeration. Either the range in which enumerators are looked for (default: -128 to 127), or the
// complete list of values and names:
//
//   template <> struct tern::EnumNames<Errno> { static constexpr int min = 0, max = 1000; };
//   template <> struct tern::EnumNames<Suit> {
//     static constexpr tern::EnumName<Suit> names[] = {{Suit::Hearts, "hearts"}, {Suit::Spades, "spades"}};
//   };
template <class E>
struct EnumNames;

}  // namespace tern
