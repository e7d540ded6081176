// Reads one value of a parsed JSON document. Reflection generates calls of this class for a struct; the parser behind
// it (simdjson) is in src/json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tern/json/error.hpp>
#include <tern/json/kinds.hpp>
#include <tern/json/reflect.hpp>

namespace tern::json {

class Reader;
struct RuleTable;

namespace detail {

// What all readers of one document share.
struct ReadState {
  const Limits& limits;
  Error& error;

  bool full() const { return error.problems.size() >= limits.problems && !error.problems.empty(); }
  void add(std::string path, std::string_view message, std::string_view code, std::string expected = {});
};

class CompiledRules;
struct RuleWalk;
struct Alternative;
template <class T>
void read_value(Reader& reader, T& out);

using ReadFunction = void (*)(Reader&, void*);

struct ReadMember {
  std::string_view name;
  ReadFunction read;
};

struct ReadTable {
  const ReadMember* members;
  std::size_t count;
  void (*addresses)(void* object, void** out);
  std::uint64_t (*may_be_missing)();
  bool deny_unknown;
  const RuleTable* rules;  // null: there are none
  Discriminator discriminator;
};

void read_struct(Reader& reader, void* object, const ReadTable& table);
// The index of the alternative of a variant, or no_alternative after noting the problem.
std::size_t choose_alternative(Reader& reader, std::span<const Alternative> alternatives);
bool read_time(Reader& reader, std::int64_t numerator, std::int64_t denominator, std::int64_t& ticks);
bool read_document(std::string_view text, const Limits& limits, void* out, ReadFunction read, Error& error);

// A simdjson element, which has this layout.
struct Node {
  const void* document;
  std::size_t index;
};

}  // namespace detail

// Valid only during the call that it is passed to. Functions that read return whether they succeeded. Otherwise they
// have noted the problem with its path, and left their argument unchanged (an aggregate may be partly filled).
class Reader {
public:
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Kinds kind() const;
  bool is(Kinds kinds) const { return (kind() & kinds) != Kinds::None; }

  // Any type that can be read (needs read.hpp).
  template <class T>
  bool value(T& out) {
    const std::size_t before = problem_count();
    detail::read_value(*this, out);
    return problem_count() == before;
  }

  bool boolean(bool& out);
  bool integer(std::int64_t& out, std::int64_t min = std::numeric_limits<std::int64_t>::min(),
               std::int64_t max = std::numeric_limits<std::int64_t>::max());
  bool unsigned_integer(std::uint64_t& out, std::uint64_t max = std::numeric_limits<std::uint64_t>::max());
  bool number(double& out);
  bool number(float& out);
  // The view lives as long as this reader's document: until json::read() returns.
  bool text(std::string_view& out);
  bool text(std::string& out);
  // The value as JSON text without blanks.
  bool raw(std::string& out);

  // Calls f(Reader& element) for every element of an array, and f(std::string_view key, Reader& member) for every
  // member of an object.
  template <class F>
  bool each_element(F&& f) {
    return elements(
        &f, [](void* context, Reader& element) { (*static_cast<std::remove_reference_t<F>*>(context))(element); });
  }
  template <class F>
  bool each_member(F&& f) {
    return members(&f, [](void* context, std::string_view key, Reader& member) {
      (*static_cast<std::remove_reference_t<F>*>(context))(key, member);
    });
  }
  bool has_member(std::string_view name) const;
  // The number of elements or members; 0 for any other value. Saturates at 16,777,215.
  std::size_t size() const;

  // Notes a problem with this value; see Problem for `code` and `expected`.
  void fail(std::string_view message, std::string_view code = "invalid", std::string expected = {});
  // Notes that the value has none of these kinds: "expected string or null".
  void expected(Kinds kinds);
  // The place of this value in the document, as a JSON pointer.
  std::string path() const;
  std::size_t problem_count() const { return state_.error.problems.size(); }

private:
  friend void detail::read_struct(Reader&, void*, const detail::ReadTable&);
  friend struct detail::RuleWalk;
  friend std::size_t detail::choose_alternative(Reader&, std::span<const detail::Alternative>);
  friend bool detail::read_document(std::string_view, const Limits&, void*, detail::ReadFunction, Error&);

  Reader(detail::ReadState& state, const Reader* parent, std::string_view key, std::size_t index,
         detail::Node node) noexcept
      : state_(state), parent_(parent), key_(key), index_(index), node_(node) {}

  bool elements(void* context, void (*f)(void*, Reader&));
  bool members(void* context, void (*f)(void*, std::string_view, Reader&));

  detail::ReadState& state_;
  const Reader* parent_;  // the array or object this value is in
  std::string_view key_;  // its name there, if that is an object,
  std::size_t index_;     // or its index; `no_index` for members
  detail::Node node_;
};

}  // namespace tern::json
