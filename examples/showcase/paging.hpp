// Pages of long lists: the extractor of ?limit=&offset=, and a page as JSON.
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

// The requested part of a list. As a handler's parameter it is validated before the call: a 422 lists the faults.
struct Window {
  std::size_t limit = 0;
  std::size_t offset = 0;
  std::string_view path;   // of the request, for the links to adjacent pages
  std::string_view query;  // of the request

  // The link to the page that begins at `start`.
  std::string link(std::size_t start) const;
};

template <class T>
struct Page {
  std::size_t total = 0;  // the number of items on all pages
  std::size_t limit = 0;
  std::size_t offset = 0;
  std::optional<std::string> previous = {};
  std::optional<std::string> next = {};
  std::vector<T> items = {};
};

// Takes all matching items in order, and stores those in the window.
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

// A reference that is written as its target, so that a page copies nothing.
template <class T>
struct Ref {
  const T* to;
};

}  // namespace showcase

template <>
struct tern::Extract<showcase::Window> {
  static std::expected<showcase::Window, tern::Rejection> from(tern::Request& request);
  static void describe(tern::Operation& operation);  // for the OpenAPI document
};

template <class T>
struct tern::JsonCodec<showcase::Ref<T>> {
  using SchemaType = T;
  static void write(tern::json::Writer& writer, showcase::Ref<T> ref) { writer.value(*ref.to); }
};
