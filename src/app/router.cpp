#include "app/router.hpp"

#include "app/quoted.hpp"

#include <tern/app/app.hpp>
#include <tern/app/pattern.hpp>
#include <tern/base/ascii.hpp>
#include <tern/base/utf8.hpp>
#include <tern/http/uri.hpp>

#include <re2/re2.h>

#include <algorithm>
#include <cstring>

namespace tern::app {
namespace {

constexpr std::uint32_t no_route = 0xFFFFFFFF;

bool is_dot_segment(std::string_view segment) {
  return segment == "." || segment == "..";
}

// Takes the first piece, up to `separator`, of `rest`. False if there is none.
bool next_piece(std::string_view& rest, bool& more, std::string_view& piece, char separator) {
  if (!more) return false;
  const std::size_t end = rest.find(separator);
  piece = rest.substr(0, end);
  more = end != std::string_view::npos;
  if (more) rest.remove_prefix(end + 1);
  return true;
}

}  // namespace

struct RouterNode {
  struct RegexChild {
    std::string source;
    std::unique_ptr<re2::RE2> regex;
    std::unique_ptr<RouterNode> node;
  };
  struct LiteralChild {
    std::string text;
    std::unique_ptr<RouterNode> node;
  };

  std::vector<LiteralChild> literals;  // sorted by text
  std::vector<RegexChild> regexes;
  std::unique_ptr<RouterNode> parameter;
  std::unique_ptr<RouterNode> rest;
  MethodMask offered = 0;
  std::vector<Router::RouteIndex> routes;  // by method; none after the last

  const RouterNode* literal(std::string_view text) const {
    const auto at = std::ranges::lower_bound(literals, text, {},
                                             [](const LiteralChild& child) -> std::string_view { return child.text; });
    return at != literals.end() && at->text == text ? at->node.get() : nullptr;
  }
  Router::RouteIndex at(std::size_t method) const { return method < routes.size() ? routes[method] : no_route; }
  // A GET route also answers HEAD, unless there is a route for it.
  Router::RouteIndex route(MethodIndex method) const {
    const Router::RouteIndex found = at(method);
    if (found != no_route || method != static_cast<MethodIndex>(Method::Head)) return found;
    return at(static_cast<MethodIndex>(Method::Get));
  }
};

struct Router::Search {
  MethodIndex method;
  bool escaped;  // the path has percent escapes
  Arena& arena;
  std::array<std::string_view, http::max_parameters>& values;
  Match match;
};

std::string Router::allow_value(MethodMask offered) const {
  if ((offered & mask_of(Method::Get)) != 0) offered |= mask_of(Method::Head);
  offered |= mask_of(Method::Options);
  std::string out;
  for (std::size_t i = 0; i < max_methods; ++i) {
    if ((offered & (MethodMask{1} << i)) == 0) continue;
    if (!out.empty()) out += ", ";
    out += name_of(i);
  }
  return out;
}

// Reads every byte, eight at a time. Collisions cost time, not correctness.
std::size_t LiteralPaths::hash(std::string_view text) noexcept {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;
  const auto mixed = [](std::uint64_t value) { return (value ^ value >> 32U) * factor; };
  std::uint64_t sum = text.size();
  for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    sum = mixed(sum ^ word);
  }
  std::uint64_t word = 0;
  for (const char c : text) word = word << 8U | static_cast<unsigned char>(c);
  sum = mixed(sum ^ word);
  return static_cast<std::size_t>(sum ^ sum >> 32U);
}

void LiteralPaths::add(std::string_view path, const RouterNode& node) {
  if (find(path) != nullptr) return;
  if (2 * (count_ + 1) > table_.size()) {
    std::vector<Entry> smaller(std::max<std::size_t>(16, 2 * table_.size()));
    smaller.swap(table_);
    mask_ = table_.size() - 1;
    for (Entry& entry : smaller) {
      if (entry.node != nullptr) place(std::move(entry));
    }
  }
  place({std::string(path), &node});
  ++count_;
}

void LiteralPaths::place(Entry entry) {
  std::size_t at = hash(entry.path);
  while (table_[at & mask_].node != nullptr) ++at;
  table_[at & mask_] = std::move(entry);
}

const RouterNode* LiteralPaths::find(std::string_view path) const noexcept {
  if (table_.empty()) return nullptr;
  for (std::size_t at = hash(path);; ++at) {
    const Entry& entry = table_[at & mask_];
    if (entry.node == nullptr || entry.path == path) return entry.node;
  }
}

Router::Router() : root_(std::make_unique<Node>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;

std::string_view Router::name_of(std::size_t method) const noexcept {
  constexpr std::size_t first = static_cast<std::size_t>(Method::Extension);
  return method < first ? method_name(static_cast<Method>(method)) : extension_methods_[method - first];
}

MethodIndex Router::index_of(RouteMethod method) const noexcept {
  if (method.method != Method::Extension) return static_cast<MethodIndex>(method.method);
  const auto found = std::ranges::find(extension_methods_, method.extension);
  if (found == extension_methods_.end()) return unknown_method;
  return static_cast<MethodIndex>(method_count + static_cast<std::size_t>(found - extension_methods_.begin()));
}

MethodIndex Router::enter(RouteMethod method) {
  const MethodIndex index = index_of(method);
  if (index != unknown_method) return index;
  if (!base::is_token(method.extension)) {
    throw SetupError("method " + quoted(method.extension) + " is not a token (RFC 9110, 9.1)");
  }
  if (method_count + extension_methods_.size() == max_methods) {
    throw SetupError("method " + quoted(method.extension) + ": an app has at most " +
                     std::to_string(max_methods - method_count) + " extension methods");
  }
  extension_methods_.emplace_back(method.extension);
  return index_of(method);
}

std::vector<std::string> Router::add(RouteMethod method, std::string_view pattern, RouteIndex route) {
  const PatternFacts facts = examine(pattern);
  if (facts.fault != PatternFault::None) {
    throw SetupError("pattern " + quoted(pattern) + ": " + std::string(describe(facts.fault)));
  }
  std::vector<std::string> names;
  Node* node = root_.get();
  PatternReader reader(pattern);
  for (Segment segment; reader.next(segment);) {
    if (segment.kind != SegmentKind::Literal) names.emplace_back(segment.name);
    node = &descend(*node, segment, pattern);
  }
  const MethodIndex index = enter(method);
  if (node->routes.size() <= index) node->routes.resize(index + std::size_t{1}, no_route);
  RouteIndex& place = node->routes[index];
  if (place != no_route) {
    throw SetupError(std::string(name_of(index)) + " " + quoted(pattern) + " conflicts with " +
                     quoted(patterns_[place]) + ", which is registered already");
  }
  place = route;
  node->offered |= MethodMask{1} << index;
  offered_ |= MethodMask{1} << index;
  if (names.empty()) literal_paths_.add(pattern, *node);
  if (patterns_.size() <= route) patterns_.resize(route + 1);
  patterns_[route] = pattern;
  return names;
}

std::optional<Router::RouteIndex> Router::holder(RouteMethod method, std::string_view pattern) const {
  const Node* node = root_.get();
  PatternReader reader(pattern);
  for (Segment segment; node != nullptr && reader.next(segment);) {
    switch (segment.kind) {
      case SegmentKind::Literal: node = node->literal(segment.text); break;
      case SegmentKind::Parameter: node = node->parameter.get(); break;
      case SegmentKind::Rest: node = node->rest.get(); break;
      case SegmentKind::Regex: {
        const auto found = std::ranges::find(node->regexes, segment.regex, &Node::RegexChild::source);
        node = found == node->regexes.end() ? nullptr : found->node.get();
        break;
      }
    }
  }
  const RouteIndex route = node == nullptr ? no_route : node->at(index_of(method));
  return route == no_route ? std::nullopt : std::optional(route);
}

Router::Node& Router::descend(Node& from, const Segment& segment, std::string_view pattern) {
  const auto made = [](std::unique_ptr<Node>& node) -> Node& {
    if (!node) node = std::make_unique<Node>();
    return *node;
  };
  switch (segment.kind) {
    case SegmentKind::Parameter: return made(from.parameter);
    case SegmentKind::Rest: return made(from.rest);
    case SegmentKind::Literal: {
      const auto at =
          std::ranges::lower_bound(from.literals, segment.text, {},
                                   [](const Node::LiteralChild& child) -> std::string_view { return child.text; });
      if (at != from.literals.end() && at->text == segment.text) return *at->node;
      return *from.literals.insert(at, {std::string(segment.text), std::make_unique<Node>()})->node;
    }
    case SegmentKind::Regex: break;
  }
  for (const Node::RegexChild& child : from.regexes) {
    if (child.source == segment.regex) return *child.node;
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_unique<re2::RE2>(re2::StringPiece(segment.regex.data(), segment.regex.size()), options);
  if (!regex->ok()) {
    throw SetupError("pattern " + quoted(pattern) + ": the regular expression " + quoted(segment.regex) +
                     " is malformed: " + regex->error());
  }
  from.regexes.push_back({std::string(segment.regex), std::move(regex), std::make_unique<Node>()});
  return *from.regexes.back().node;
}

Router::Match Router::find(MethodIndex method, std::string_view path, Arena& arena,
                           std::array<std::string_view, http::max_parameters>& values) const {
  Search search{method, false, arena, values, {}};
  const Node* literal = literal_paths_.find(path);
  if (literal != nullptr && accept(*literal, search)) return search.match;
  search.escaped = path.find('%') != std::string_view::npos;
  walk(*root_, path, search);
  return search.match;
}

bool Router::accept(const Node& node, Search& search) {
  const RouteIndex route = node.route(search.method);
  if (route == no_route) {
    search.match.offered |= node.offered;
    return false;
  }
  search.match.route = route;
  return true;
}

// `path` is empty, or begins with the slash before the next segment.
bool Router::walk(const Node& node, std::string_view path, Search& search) const {
  if (path.empty()) return accept(node, search);
  if (path.front() != '/') return false;
  path.remove_prefix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  std::string_view segment = path.substr(0, end);
  if (search.escaped) segment = percent_decode(segment, search.arena).value_or(segment);
  if (walk_segment(node, segment, path.substr(end), search)) return true;
  if (!node.rest) return false;
  search.values[search.match.parameters++] = search.escaped ? percent_decode(path, search.arena).value_or(path) : path;
  if (accept(*node.rest, search)) return true;
  --search.match.parameters;
  return false;
}

bool Router::walk_segment(const Node& node, std::string_view segment, std::string_view path, Search& search) const {
  if (const Node* next = node.literal(segment); next != nullptr && walk(*next, path, search)) return true;
  if (segment.empty() || (node.regexes.empty() && !node.parameter)) return false;
  search.values[search.match.parameters++] = segment;
  for (const Node::RegexChild& child : node.regexes) {
    if (re2::RE2::FullMatch(re2::StringPiece(segment.data(), segment.size()), *child.regex) &&
        walk(*child.node, path, search)) {
      return true;
    }
  }
  if (node.parameter && walk(*node.parameter, path, search)) return true;
  --search.match.parameters;
  return false;
}

std::string_view path_fault(std::string_view path, Arena& arena) {
  const bool escaped = path.find('%') != std::string_view::npos;
  if (!escaped && path.find("/.") == std::string_view::npos) return {};
  std::string_view segment;
  bool more = true;
  while (next_piece(path, more, segment, '/')) {
    const auto decoded = percent_decode(segment, arena);
    if (!decoded) return "the path has a malformed percent escape";
    if (!base::is_utf8(*decoded)) return "the path has percent escapes that are not UTF-8";
    std::string_view rest = *decoded;
    std::string_view piece;
    bool more_pieces = true;
    while (next_piece(rest, more_pieces, piece, '/')) {
      if (is_dot_segment(piece)) return "the path has a dot segment";
    }
  }
  return {};
}

}  // namespace tern::app
