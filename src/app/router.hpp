// The router: from method and path to a route. A tree of segments, with a table of whole paths in front for the routes
// without placeholders.
//
// At each segment it tries a literal first, then regular expressions in the order of registration, then a parameter,
// then the rest of the path; the first complete match with the method wins. Each node of the tree is one sequence of
// segments, so that a lookup visits it at most once for any patterns.
#pragma once

#include <tern/app/route_method.hpp>
#include <tern/base/arena.hpp>
#include <tern/http/request.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace tern::app {

// Method indices: those of tern::Method, then extension methods in the order of registration.
using MethodIndex = std::uint8_t;
using MethodMask = std::uint64_t;
inline constexpr std::size_t max_methods = 64;
inline constexpr MethodIndex unknown_method = max_methods;
static_assert(method_count < max_methods);

constexpr MethodMask mask_of(Method method) {
  return MethodMask{1} << static_cast<unsigned>(method);
}

struct RouterNode;

// The paths of routes without placeholders: a hash table with open addressing, read-only during use.
class LiteralPaths {
public:
  // Adds the tree's node of `path`; ignores a second node for the same path.
  void add(std::string_view path, const RouterNode& node);
  // Null if there is none.
  const RouterNode* find(std::string_view path) const noexcept;

private:
  struct Entry {
    std::string path;
    const RouterNode* node = nullptr;
  };
  static std::size_t hash(std::string_view text) noexcept;
  void place(Entry entry);

  std::vector<Entry> table_;  // a power of two of entries, at most half full
  std::size_t mask_ = 0;      // their number - 1
  std::size_t count_ = 0;
};

class Router {
public:
  using RouteIndex = std::uint32_t;

  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) = delete;

  // Throws SetupError for a malformed pattern or regular expression, and for a pattern that is ambiguous with another
  // route of the same method, naming both. Returns the names of the placeholders.
  std::vector<std::string> add(RouteMethod method, std::string_view pattern, RouteIndex route);

  // The route of exactly this pattern, whatever its placeholders are named, and method.
  std::optional<RouteIndex> holder(RouteMethod method, std::string_view pattern) const;

  // unknown_method for an extension method without routes.
  MethodIndex index_of(RouteMethod method) const noexcept;

  struct Match {
    std::optional<RouteIndex> route;
    MethodMask offered = 0;  // if there is no route: other methods of the path
    std::size_t parameters = 0;
  };

  // Writes values of placeholders to `values`, as views of `path` or, if they had percent escapes, of `arena`. `path`
  // has no path_fault().
  Match find(MethodIndex method, std::string_view path, Arena& arena,
             std::array<std::string_view, http::max_parameters>& values) const;

  // "GET, HEAD, OPTIONS": the offered and the implied methods.
  std::string allow_value(MethodMask offered) const;

  // The methods of all routes, for OPTIONS *.
  MethodMask offered() const noexcept { return offered_; }

private:
  using Node = RouterNode;
  struct Search;
  Node& descend(Node& from, const struct Segment& segment, std::string_view pattern);
  bool walk(const Node& node, std::string_view path, Search& search) const;
  bool walk_segment(const Node& node, std::string_view segment, std::string_view path, Search& search) const;
  static bool accept(const Node& node, Search& search);
  MethodIndex enter(RouteMethod method);
  std::string_view name_of(std::size_t method) const noexcept;

  std::unique_ptr<Node> root_;
  LiteralPaths literal_paths_;
  std::vector<std::string> patterns_;  // by route index
  std::vector<std::string> extension_methods_;
  MethodMask offered_ = 0;
};

// Why a path cannot be routed; empty if it can: every percent escape is valid, the decoded text is UTF-8, and no
// segment is "." or ".." after decoding, also if encoded slashes count as slashes.
std::string_view path_fault(std::string_view path, Arena& arena);

}  // namespace tern::app
