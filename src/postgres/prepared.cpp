#include "postgres/prepared.hpp"

#include "postgres/statement.hpp"

#include <utility>

namespace tern::postgres {

bool Prepared::describe_parameters(std::string_view body) {
  Reader reader(body);
  const std::size_t count = reader.read_16();
  parameters.clear();
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) parameters.push_back(type_of(reader.read_32()));
  return !reader.failed() && reader.rest().empty();
}

// column = name table(4) number(2) type(4) size(2) modifier(4) format(2)
bool Prepared::describe_columns(std::string_view body) {
  Reader reader(body);
  const std::size_t count = reader.read_16();
  types.clear();
  names.clear();
  columns.clear();
  has_other_formats = false;
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
    names.emplace_back(reader.read_string());
    reader.read_bytes(6);
    types.push_back(type_of(reader.read_32()));
    reader.read_bytes(6);
    has_other_formats |= (reader.read_16() != 0) != types.back().is_binary();
    names.push_back(name_of(types.back().oid));
  }
  for (std::size_t i = 0; i < types.size(); ++i) columns.push_back({names[2 * i], names[2 * i + 1]});
  return !reader.failed() && reader.rest().empty();
}

Prepared* PreparedStatements::find(std::string_view text) noexcept {
  const auto found = by_text_.find(text);
  if (found == by_text_.end()) return nullptr;
  if (found->second != used_.begin()) used_.splice(used_.begin(), used_, found->second);
  return &*found->second;
}

Prepared& PreparedStatements::add(std::string_view text, bool named) {
  Prepared& made = used_.emplace_front();
  try {
    made.text = text;
    if (named) made.name = "tern_" + std::to_string(++last_number_);
    by_text_.emplace(made.text, used_.begin());
  } catch (...) {
    used_.pop_front();
    throw;
  }
  return made;
}

Prepared* PreparedStatements::surplus() noexcept {
  if (used_.size() <= max_) return nullptr;
  for (auto at = used_.rbegin(); &*at != &used_.front(); ++at) {
    if (at->in_use == 0) return &*at;
  }
  return nullptr;
}

void PreparedStatements::drop(Prepared& prepared) noexcept {
  if (prepared.dropped) return;
  const auto found = by_text_.find(prepared.text);
  const List::iterator at = found->second;
  by_text_.erase(found);
  prepared.dropped = true;
  dropped_.splice(dropped_.begin(), used_, at);
  release(prepared);
}

void PreparedStatements::release(Prepared& prepared) noexcept {
  if (!prepared.dropped || prepared.in_use != 0) return;
  for (auto at = dropped_.begin(); at != dropped_.end(); ++at) {
    if (&*at != &prepared) continue;
    dropped_.erase(at);
    return;
  }
}

void PreparedStatements::clear() noexcept {
  while (!used_.empty()) drop(used_.front());
}

}  // namespace tern::postgres
