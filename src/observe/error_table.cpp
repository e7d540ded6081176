#include "observe/error_table.hpp"

#include <algorithm>
#include <new>

namespace tern::observe {
namespace {

// Cuts a text of UTF-8 between characters.
std::string_view cut(std::string_view text, std::size_t max) noexcept {
  if (text.size() <= max) return text;
  while (max != 0 && (static_cast<unsigned char>(text[max]) & 0xC0U) == 0x80U) --max;
  return text.substr(0, max);
}

}  // namespace

void ErrorTable::count(std::string_view text, std::string_view method, std::string_view route,
                       std::int64_t now) noexcept {
  text = cut(text, max_text);
  try {
    const std::lock_guard lock(mutex_);
    auto found = std::ranges::find_if(
        rows_, [&](const ErrorRow& row) { return row.text == text && row.route == route && row.method == method; });
    if (found == rows_.end()) {
      ErrorRow fresh{std::string(text), std::string(method), std::string(route), 0, 0};
      if (rows_.size() < max_rows) {
        found = rows_.insert(rows_.end(), std::move(fresh));
      } else {
        found = std::ranges::min_element(rows_, {}, &ErrorRow::last);
        *found = std::move(fresh);
      }
    }
    ++found->count;
    found->last = now;
  } catch (const std::bad_alloc&) {
  }
}

std::vector<ErrorRow> ErrorTable::rows() const {
  std::vector<ErrorRow> rows;
  {
    const std::lock_guard lock(mutex_);
    rows = rows_;
  }
  std::ranges::sort(rows, std::ranges::greater(), &ErrorRow::count);
  return rows;
}

void ErrorTable::clear() noexcept {
  const std::lock_guard lock(mutex_);
  rows_.clear();
}

}  // namespace tern::observe
