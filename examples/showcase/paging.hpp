// Pages of long lists: the extractor that reads ?limit=&offset=, and what a page looks like as JSON.
#pragma once

#include <tern/tern.hpp>

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace showcase {

inline constexpr std::size_t max_per_page = 500;

// Which part of a list is asked for. A handler that takes one has it checked before it is called: a 422 names what is
// wrong.
struct Window {
  std::size_t limit = 0;
  std::size_t offset = 0;
  std::string_view path;   // of the request, for the links to the pages beside this one
  std::string_view query;  // likewise

  // Where the page that begins at `start` is.
  std::string link(std::size_t start) const;
};

template <class T>
struct Page {
  std::size_t total = 0;  // how many there are, on all pages
  std::size_t limit = 0;
  std::size_t offset = 0;
  std::optional<std::string> previous = {};
  std::optional<std::string> next = {};
  std::vector<T> items = {};
};

// Takes everything that matches, in order, and keeps what is in the window.
template <class T>
class Pager {
public:
  explicit Pager(const Window& window) : window_(window) {
    page_.limit = window.limit;
    page_.offset = window.offset;
  }

  void add(const T& item) {
    const std::size_t index = page_.total++;
    if (index >= window_.offset && index - window_.offset < window_.limit) page_.items.push_back(item);
  }

  Page<T> finish() && {
    if (window_.offset > 0) {
      page_.previous = window_.link(window_.offset > window_.limit ? window_.offset - window_.limit : 0);
    }
    if (window_.offset < page_.total && page_.total - window_.offset > window_.limit) {
      page_.next = window_.link(window_.offset + window_.limit);
    }
    return std::move(page_);
  }

private:
  Window window_;
  Page<T> page_;
};

// A reference that is written as what it refers to, so that a page of them copies nothing.
template <class T>
struct Ref {
  const T* to;
};

}  // namespace showcase

template <>
struct tern::Extract<showcase::Window> {
  static std::expected<showcase::Window, tern::Rejection> from(tern::Request& request);
};

template <class T>
struct tern::JsonCodec<showcase::Ref<T>> {
  static void write(tern::json::Writer& writer, showcase::Ref<T> ref) { writer.value(*ref.to); }
};
