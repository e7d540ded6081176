// Rejects documents that simdjson's DOM accepts: duplicate names (RFC 8259, section 4, leaves their meaning open), and
// empty containers one level below the depth limit.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace tern::json::detail {

namespace {

namespace dom = simdjson::dom;

class Check {
public:
  Check(const std::vector<std::size_t>& too_large, ReadState& state, std::vector<std::string_view>& names)
      : too_large_(too_large), state_(state), names_(names) {
    names_.clear();
  }

  bool walk(dom::element element) {
    switch (element.type()) {
      case dom::element_type::ARRAY: return walk_array(dom::array(element));
      case dom::element_type::OBJECT: return walk_object(dom::object(element));
      case dom::element_type::INT64:
      case dom::element_type::UINT64:
      case dom::element_type::DOUBLE:
        if (!too_large_.empty()) count_number();
        return true;
      default: return true;
    }
  }

private:
  // One level of the path to the current element, on the stack of the walk.
  struct Level {
    const Level* outer;
    std::string_view name;
    std::size_t index = no_index;
  };

  bool walk_array(dom::array array) {
    if (!enter()) return false;
    Level level{level_, {}, 0};
    for (const dom::element element : array) {
      if (has_children(element)) {
        level_ = &level;
        if (!walk(element)) return false;
      }
      ++level.index;
    }
    leave(level);
    return true;
  }

  bool walk_object(dom::object object) {
    if (!enter()) return false;
    const std::size_t begin = names_.size();
    Level level{level_, {}};
    for (const dom::key_value_pair member : object) {
      names_.push_back(member.key);
      if (has_children(member.value)) {
        level.name = member.key;
        level_ = &level;
        if (!walk(member.value)) return false;
      }
    }
    leave(level);
    find_duplicates(begin);
    names_.resize(begin);
    return true;
  }

  // Numbers need a visit only if some of them were too large.
  bool has_children(dom::element element) const {
    return element.is_array() || element.is_object() || !too_large_.empty();
  }

  bool enter() {
    if (++depth_ <= state_.limits.depth) return true;
    state_.error.kind = ErrorKind::Syntax;
    state_.error.problems = {{std::string(), "nested deeper than " + std::to_string(state_.limits.depth) + " levels"}};
    return false;
  }
  void leave(const Level& level) {
    --depth_;
    level_ = level.outer;
  }

  // Few names are compared pairwise, many are sorted, so that distinct names do not cost quadratic time.
  void find_duplicates(std::size_t begin) {
    const std::size_t count = names_.size() - begin;
    constexpr std::size_t few = 16;
    const auto first = names_.begin() + static_cast<std::ptrdiff_t>(begin);
    if (count > few) std::sort(first, names_.end());
    for (std::size_t i = 1; i < count && !state_.full(); ++i) {
      const auto name = first + static_cast<std::ptrdiff_t>(i);
      const auto from = count > few ? name - 1 : first;
      const bool earlier = std::find(from, name, *name) != name;
      if (earlier) note("duplicate member", *name);
    }
  }

  void count_number() {
    if (!state_.full() && std::binary_search(too_large_.begin(), too_large_.end(), numbers_))
      state_.add(path(level_), "number out of range", "range");
    ++numbers_;
  }

  void note(std::string_view message, std::string_view name) {
    std::string pointer = path(level_);
    append_pointer(pointer, name);
    state_.add(std::move(pointer), message, "duplicate");
  }

  static std::string path(const Level* level) {
    if (level == nullptr) return {};
    std::string pointer = path(level->outer);
    append_pointer(pointer, level->index == no_index ? level->name : std::to_string(level->index));
    return pointer;
  }

  const std::vector<std::size_t>& too_large_;
  ReadState& state_;
  const Level* level_ = nullptr;
  std::size_t depth_ = 0;
  std::size_t numbers_ = 0;
  std::vector<std::string_view>& names_;  // of the objects that are open, the innermost last
};

}  // namespace

bool check(dom::element root, const std::vector<std::size_t>& too_large, ReadState& state,
           std::vector<std::string_view>& names) {
  return Check(too_large, state, names).walk(root);
}

}  // namespace tern::json::detail
