// Rows<T>: rows whose texts are views of one memory, in place of a std::string for each.
#pragma once

#include <tern/base/arena.hpp>
#include <tern/base/box.hpp>
#include <tern/sql/rows.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern::sql {
namespace detail {

template <class T>
inline constexpr bool is_text_view =
    std::is_same_v<T, std::string_view> || std::is_same_v<T, std::optional<std::string_view>> ||
    std::is_same_v<T, json::RawView> || std::is_same_v<T, std::optional<json::RawView>>;

// A view of the value, which is valid during RowReader::row(). False unless it is text, or digits; for a RawView, JSON.
inline bool view_text(const Value& value, std::string_view& text) noexcept {
  text = value.bytes;
  return value.type == ValueType::Text || value.type == ValueType::Decimal || value.type == ValueType::Json;
}
bool view_text(const Value& value, std::optional<std::string_view>& text) noexcept;
bool view_text(const Value& value, json::RawView& raw);
bool view_text(const Value& value, std::optional<json::RawView>& raw);

template <class T, std::size_t I>
bool decode_view(void* row, const Value& value) {
  return view_text(value, *json::detail::leaf<I>(json::detail::member_pointers(*static_cast<T*>(row))));
}

template <class T, std::size_t I>
consteval Member make_view_member() {
  using Type = json::MemberType<T, I>;
  if constexpr (is_text_view<Type>) {
    return {json::detail::names_of<T>.items[I], app::type_name<Type>(), &decode_view<T, I>};
  } else {
    return make_member<T, I>();
  }
}

template <class T>
inline constexpr auto view_members = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<Member, sizeof...(I)>{make_view_member<T, I>()...};
}(std::make_index_sequence<json::detail::member_count<T>>{});

template <class T>
void keep_text(T&, Arena&) noexcept {}
inline void keep_text(std::string_view& text, Arena& texts) {
  text = texts.copy(text);
}
inline void keep_text(std::optional<std::string_view>& text, Arena& texts) {
  if (text) text = texts.copy(*text);
}
inline void keep_text(json::RawView& raw, Arena& texts) {
  raw.text = texts.copy(raw.text);
}
inline void keep_text(std::optional<json::RawView>& raw, Arena& texts) {
  if (raw) raw->text = texts.copy(raw->text);
}

template <class T, std::size_t... I>
void keep_texts(T& row, Arena& texts, std::index_sequence<I...>) {
  auto pointers = json::detail::member_pointers(row);
  (keep_text(*json::detail::leaf<I>(pointers), texts), ...);
}

}  // namespace detail

template <json::Aggregate T>
class RowsCollector;

// The result of Queries::rows(): a range of structs, whose members of the types std::string_view and json::RawView, and
// optional ones of these, are views of memory that belongs to it. They are valid as long as it is, also after it was
// moved; copy what shall live longer. As a result of a handler, it is a list in JSON.
template <json::Aggregate T>
class Rows {
public:
  using value_type = T;
  using iterator = typename std::vector<T>::iterator;
  using const_iterator = typename std::vector<T>::const_iterator;

  Rows() noexcept = default;
  Rows(Rows&&) noexcept = default;
  Rows& operator=(Rows&&) noexcept = default;

  std::size_t size() const noexcept { return rows_.size(); }
  bool empty() const noexcept { return rows_.empty(); }
  T& operator[](std::size_t index) noexcept { return rows_[index]; }
  const T& operator[](std::size_t index) const noexcept { return rows_[index]; }
  iterator begin() noexcept { return rows_.begin(); }
  iterator end() noexcept { return rows_.end(); }
  const_iterator begin() const noexcept { return rows_.begin(); }
  const_iterator end() const noexcept { return rows_.end(); }

  // The texts of `row` must live as long as this: literals, or what keep() has returned.
  void push_back(T row) { rows_.push_back(std::move(row)); }
  // A copy of `text` that lives as long as this.
  std::string_view keep(std::string_view text) { return texts().copy(text); }

private:
  friend class RowsCollector<T>;
  Arena& texts() {
    if (!texts_) texts_ = base::make_box<Arena>();
    return *texts_;
  }

  std::vector<T> rows_;
  base::Box<Arena> texts_;  // does not move
};

template <json::Aggregate T>
class RowsCollector final : public RowReader {
public:
  void columns(std::span<const Column> columns) override {
    result = {};  // of an attempt that had no effect
    mapping_.columns(columns);
  }
  bool row(std::span<const Column> columns, std::span<const Value> values) override {
    if (result.rows_.capacity() == 0) result.rows_.reserve(first_rows);
    T& made = result.rows_.emplace_back();
    mapping_.read(columns, values, &made);
    detail::keep_texts(made, result.texts(), std::make_index_sequence<json::detail::member_count<T>>{});
    return true;
  }

  Rows<T> result;

private:
  static constexpr std::size_t first_rows = 16;  // in place of 1, 2, 4 and 8
  detail::RowMapping mapping_{detail::view_members<T>, false};
};

}  // namespace tern::sql

namespace tern {
using sql::Rows;
}
