// Pages of long lists: the extractor that reads ?limit=&offset=, and what a page looks like as JSON.
#pragma once

#include <tern/tern.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace showcase {

inline constexpr std::size_t most_per_page = 500;

// Which part of a list is asked for. A handler that takes one has it checked: 422 names what is wrong.
struct Window {
  std::size_t limit = 0;
  std::size_t offset = 0;
  std::string_view path;   // of the request, for the links to the pages beside this one
  std::string_view query;  // likewise

  // Where the page that begins at `start` is.
  std::string link(std::size_t start) const;
};

// A reference that is written as what it refers to, so that a page copies nothing.
template <class T>
struct Ref {
  const T* to;
};

template <class T>
struct Page {
  std::size_t total = 0;  // in the whole list, as far as it was asked for
  std::size_t limit = 0;
  std::size_t offset = 0;
  std::optional<std::string> previous = {};
  std::optional<std::string> next = {};
  std::vector<T> items = {};

  explicit Page(const Window& window) : limit(window.limit), offset(window.offset) {}
  Page() = default;
};

}  // namespace showcase
