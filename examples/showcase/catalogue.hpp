// An immutable list with several ways to search it.
#pragma once

#include "fold.hpp"
#include "paging.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace showcase {

// The searches of every list; each matches a part of the text, case-insensitively.
struct Search {
  std::optional<std::string> name;  // of the names
  std::optional<std::string> q;     // of the names or the codes
};

// T provides codes(), of which the first orders the list, and names().
template <class T>
class Catalogue {
public:
  explicit Catalogue(std::vector<T> items) {
    entries_.reserve(items.size());
    for (T& item : items) entries_.push_back(make_entry(std::move(item)));
    std::ranges::sort(entries_, {}, &Entry::text);  // it begins with the first code
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      for (const std::string_view code : entries_[i].item.codes()) by_code_.emplace(fold(code), i);
    }
  }

  std::size_t size() const { return entries_.size(); }

  // By any of its codes, case-insensitively; null if there is none.
  const T* find(std::string_view code) const {
    const auto found = by_code_.find(fold(code));
    return found == by_code_.end() ? nullptr : &entries_[found->second].item;
  }

  // The items that match the search, and for which keep(item) is true.
  template <class Keep>
  Page<Ref<T>> page(const Window& window, const Search& search, Keep keep) const {
    const std::string name = fold(search.name.value_or(""));
    const std::string q = fold(search.q.value_or(""));
    Pager<Ref<T>> pager(window);
    for (const Entry& entry : entries_) {
      if (entry.text.find(q) == std::string::npos) continue;
      if (std::string_view(entry.text).substr(entry.names).find(name) == std::string_view::npos) continue;
      if (keep(entry.item)) pager.add({&entry.item});
    }
    return std::move(pager).finish();
  }
  Page<Ref<T>> page(const Window& window, const Search& search) const {
    return page(window, search, [](const T&) { return true; });
  }

private:
  struct Entry {
    T item;
    std::string text;       // codes, then names, folded, each in a line of its own
    std::size_t names = 0;  // the begin of the names
  };

  static Entry make_entry(T item) {
    Entry entry{std::move(item), {}, 0};
    for (const std::string_view code : entry.item.codes()) entry.text += fold(code) + '\n';
    entry.names = entry.text.size();
    for (const std::string_view name : entry.item.names()) entry.text += fold(name) + '\n';
    return entry;
  }

  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> by_code_;
};

}  // namespace showcase
