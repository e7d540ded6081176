#include "json/pattern_tree.hpp"

#include <utility>

#include <tern/base/ascii.hpp>

namespace tern::json::detail {
namespace {

constexpr std::size_t max_count = 1000;  // RE2's
constexpr int max_group_depth = 50;

constexpr CharacterSet set_of(unsigned char first, unsigned char last) {
  CharacterSet set;
  set.add(first, last);
  return set;
}

constexpr CharacterSet digit_set = set_of('0', '9');
constexpr CharacterSet word_set = [] {
  CharacterSet set = digit_set;
  set.add('A', 'Z');
  set.add('a', 'z');
  set.add('_', '_');
  return set;
}();
constexpr CharacterSet space_set = [] {
  CharacterSet set = set_of('\t', '\n');
  set.add('\f', '\r');
  set.add(' ', ' ');
  return set;
}();

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 128;
}

// A group or sequence of one is that one.
PatternNode unwrapped(PatternNode node) {
  if (node.children.size() != 1) return node;
  PatternNode only = std::move(node.children.front());
  return only;
}

class PatternParser {
public:
  explicit PatternParser(std::string_view expression) : rest_(expression) {}
  std::optional<PatternTree> parse();

private:
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  char take_character() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::optional<PatternNode> choice();
  std::optional<PatternNode> sequence();
  std::optional<PatternNode> atom();
  std::optional<PatternNode> repeated(PatternNode atom);
  std::optional<std::size_t> number();
  std::optional<CharacterSet> escaped();
  std::optional<CharacterSet> character_class();
  std::optional<unsigned char> class_end();

  std::string_view rest_;
  int depth_ = 0;
};

bool ends_with_dollar(std::string_view expression) {
  if (!expression.ends_with('$')) return false;
  std::size_t backslashes = 0;
  while (backslashes + 1 < expression.size() && expression[expression.size() - 2 - backslashes] == '\\') ++backslashes;
  return backslashes % 2 == 0;
}

std::optional<PatternTree> PatternParser::parse() {
  PatternTree tree;
  tree.at_begin = take("^");
  tree.at_end = ends_with_dollar(rest_);
  if (tree.at_end) rest_.remove_suffix(1);
  // An anchor belongs to one alternative.
  auto root = tree.at_begin || tree.at_end ? sequence() : choice();
  if (!root || !rest_.empty()) return std::nullopt;
  tree.root = std::move(*root);
  return tree;
}

std::optional<PatternNode> PatternParser::choice() {
  if (++depth_ > max_group_depth) return std::nullopt;
  PatternNode node;
  node.kind = PatternNode::Kind::Choice;
  do {
    auto branch = sequence();
    if (!branch) return std::nullopt;
    node.children.push_back(std::move(*branch));
  } while (take("|"));
  --depth_;
  return unwrapped(std::move(node));
}

std::optional<PatternNode> PatternParser::sequence() {
  PatternNode node;
  while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
    auto one = atom();
    if (one) one = repeated(std::move(*one));
    if (!one) return std::nullopt;
    node.children.push_back(std::move(*one));
  }
  return unwrapped(std::move(node));
}

std::optional<PatternNode> PatternParser::atom() {
  PatternNode node;
  node.kind = PatternNode::Kind::Set;
  std::optional<CharacterSet> set;
  const char c = take_character();
  switch (c) {
    case '(': {
      if (!take("?:") && rest_.starts_with('?')) return std::nullopt;
      auto group = choice();
      if (!group || !take(")")) return std::nullopt;
      return group;
    }
    case '[': set = character_class(); break;
    case '.': set = set_of('\n', '\n').complement(); break;
    case '\\': set = escaped(); break;
    case '^':
    case '$':
    case '*':
    case '+':
    case '?':
    case '{': return std::nullopt;
    default:
      if (is_ascii(c)) set = set_of(static_cast<unsigned char>(c), static_cast<unsigned char>(c));
  }
  if (!set) return std::nullopt;
  node.set = *set;
  return node;
}

std::optional<std::size_t> PatternParser::number() {
  std::size_t value = 0;
  const std::size_t before = rest_.size();
  while (!rest_.empty() && base::is_digit(rest_.front())) {
    value = value * 10 + static_cast<std::size_t>(take_character() - '0');
    if (value > max_count) return std::nullopt;
  }
  if (rest_.size() == before) return std::nullopt;
  return value;
}

std::optional<PatternNode> PatternParser::repeated(PatternNode atom) {
  PatternNode node;
  node.kind = PatternNode::Kind::Repeat;
  node.max = PatternNode::unlimited;
  if (take("*")) {
    node.min = 0;
  } else if (take("+")) {
    node.min = 1;
  } else if (take("?")) {
    node.min = 0;
    node.max = 1;
  } else if (take("{")) {
    const auto min = number();
    if (!min) return std::nullopt;
    node.min = node.max = *min;
    if (take(",")) {
      const auto max = rest_.starts_with('}') ? PatternNode::unlimited : number();
      if (!max || *max < *min) return std::nullopt;
      node.max = *max;
    }
    if (!take("}")) return std::nullopt;
  } else {
    return atom;
  }
  take("?");  // Whether the longest or the shortest match is found does not count.
  node.children.push_back(std::move(atom));
  return node;
}

std::optional<CharacterSet> PatternParser::escaped() {
  if (rest_.empty()) return std::nullopt;
  const char c = take_character();
  switch (c) {
    case 'd': return digit_set;
    case 'D': return digit_set.complement();
    case 'w': return word_set;
    case 'W': return word_set.complement();
    case 's': return space_set;
    case 'S': return space_set.complement();
    case 't': return set_of('\t', '\t');
    case 'n': return set_of('\n', '\n');
    case 'f': return set_of('\f', '\f');
    case 'r': return set_of('\r', '\r');
    case 'v': return set_of('\v', '\v');
    default: break;
  }
  if (!is_ascii(c) || word_set.has(static_cast<unsigned char>(c))) return std::nullopt;
  return set_of(static_cast<unsigned char>(c), static_cast<unsigned char>(c));
}

// The end of a range, one character.
std::optional<unsigned char> PatternParser::class_end() {
  if (rest_.empty()) return std::nullopt;
  const char c = take_character();
  if (c != '\\') return is_ascii(c) ? std::optional(static_cast<unsigned char>(c)) : std::nullopt;
  if (rest_.empty() || base::is_alpha(rest_.front())) return std::nullopt;
  const char escaped_one = rest_.front();
  return escaped() ? std::optional(static_cast<unsigned char>(escaped_one)) : std::nullopt;
}

// Behind the "[".
std::optional<CharacterSet> PatternParser::character_class() {
  const bool is_negated = take("^");
  CharacterSet set;
  for (bool is_first = true; is_first || !rest_.starts_with(']'); is_first = false) {
    // A bracket in front, names of classes, and hyphens in the middle are RE2's to read.
    if (rest_.empty() || rest_.front() == ']' || rest_.starts_with("[:")) return std::nullopt;
    if (!is_first && rest_.front() == '-' && !rest_.starts_with("-]")) return std::nullopt;
    const bool is_class = rest_.front() == '\\' && rest_.size() > 1 && base::is_alpha(rest_[1]);
    if (is_class) {
      rest_.remove_prefix(1);
      const auto one = escaped();
      if (!one || one->has_others || rest_.starts_with('-')) return std::nullopt;
      set.add(*one);
      continue;
    }
    const auto first = class_end();
    if (!first) return std::nullopt;
    auto last = first;
    if (rest_.starts_with('-') && !rest_.starts_with("-]")) {
      rest_.remove_prefix(1);
      last = class_end();
      if (!last || *last < *first) return std::nullopt;
    }
    set.add(*first, *last);
  }
  rest_.remove_prefix(1);
  return is_negated ? set.complement() : set;
}

}  // namespace

std::optional<PatternTree> parse_pattern(std::string_view expression) {
  return PatternParser(expression).parse();
}

}  // namespace tern::json::detail
